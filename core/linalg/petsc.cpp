// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/petsc.hpp"

#include <petscksp.h>

#include <cstdlib>

#include "io/error.hpp"

namespace ulpine::linalg {
namespace {

static_assert(sizeof(PetscInt) == sizeof(std::int32_t), "PETSc counts in 32 bits here");
static_assert(sizeof(PetscScalar) == sizeof(double), "PETSc's numbers are real doubles here");

template <class Error = EnvironmentError>
void check(PetscErrorCode code, std::string const& what) {
  if (code == 0) return;
  char const* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error("PETSc refuses " + what + " (" + one_line(text == nullptr ? "no reason given" : text) +
              ") see PETSc's manual");
}

void start_petsc() {
  PetscBool started = PETSC_FALSE;
  check(PetscInitialized(&started), "to be asked");
  if (started == PETSC_TRUE) return;
  // One rank without a launcher needs no daemon beside it.
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  check(PetscInitializeNoArguments(), "to start");
  check(PetscPopSignalHandler(), "to leave signals alone");
  std::atexit([] { PetscFinalize(); });
}

/// While it lives PETSc returns errors instead of writing about them.
class QuietErrors {
 public:
  QuietErrors() { PetscPushErrorHandler(PetscReturnErrorHandler, nullptr); }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() { PetscPopErrorHandler(); }
};

}  // namespace

struct PetscSolver::Objects {
  Mat matrix = nullptr;
  KSP solver = nullptr;
  PetscOptions options = nullptr;
  PetscInt size = 0;

  ~Objects() {
    KSPDestroy(&solver);
    MatDestroy(&matrix);
    PetscOptionsDestroy(&options);
  }
};

PetscSolver::PetscSolver(CsrView<double const> matrix, std::string const& options)
    : objects_{std::make_unique<Objects>()} {
  start_petsc();
  QuietErrors const quiet;
  auto& [mat, ksp, own_options, size] = *objects_;
  auto const& pattern = matrix.pattern;
  size = pattern.rows;
  // PETSc's arrays are not const, and it changes none of these.
  check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, pattern.rows, pattern.columns,
                                  const_cast<PetscInt*>(pattern.start), const_cast<PetscInt*>(pattern.column),
                                  const_cast<PetscScalar*>(matrix.value), &mat),
        "the matrix");
  check(PetscOptionsCreate(&own_options), "options");
  check<InputError>(PetscOptionsInsertString(own_options, options.c_str()), "the options '" + options + "'");
  check(KSPCreate(PETSC_COMM_SELF, &ksp), "a solver");
  check(PetscObjectSetOptions(reinterpret_cast<PetscObject>(ksp), own_options), "options");
  check(KSPSetOperators(ksp, mat, mat), "the matrix");
  check(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE), "a guess");
  check<InputError>(KSPSetFromOptions(ksp), "the options '" + options + "'");
  check<InputError>(KSPSetUp(ksp), "to prepare the solver by '" + options + "'");
  check(KSPSetResidualHistory(ksp, nullptr, PETSC_DECIDE, PETSC_TRUE), "a history");
  PetscInt left = 0;
  char **names = nullptr, **values = nullptr;
  check(PetscOptionsLeftGet(own_options, &left, &names, &values), "options");
  auto const unknown = left > 0 ? std::string(names[0]) : std::string();
  check(PetscOptionsLeftRestore(own_options, &left, &names, &values), "options");
  if (!unknown.empty()) {
    throw InputError("PETSc's option -" + one_line(unknown) +
                     " is not used (it is unknown, or of another solver) take it out or mend it");
  }
}

PetscSolver::~PetscSolver() = default;

void PetscSolver::update() {
  // Assembly forgets what PETSc has computed from the old ones.
  check(MatAssemblyBegin(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
  check(MatAssemblyEnd(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
}

PetscReport PetscSolver::solve(double const* b, double* x) {
  QuietErrors const quiet;
  auto const size = objects_->size;
  auto* const ksp = objects_->solver;
  Vec right = nullptr, solution = nullptr;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, b, &right), "a vector");
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, x, &solution), "a vector");
  auto const code = KSPSolve(ksp, right, solution);
  VecDestroy(&right);
  VecDestroy(&solution);
  check(code, "to solve");
  PetscReport report;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  char const* name = nullptr;
  PetscReal const* norms = nullptr;
  PetscInt count = 0;
  check(KSPGetConvergedReason(ksp, &reason), "its reason");
  check(KSPGetConvergedReasonString(ksp, &name), "its reason");
  check(KSPGetIterationNumber(ksp, &report.iterations), "its iterations");
  check(KSPGetResidualNorm(ksp, &report.residual), "its residual");
  check(KSPGetResidualHistory(ksp, &norms, &count), "its history");
  report.converged = reason > 0;
  report.reason = name == nullptr ? "" : name;
  report.history.assign(norms, norms + count);
  return report;
}

}  // namespace ulpine::linalg
