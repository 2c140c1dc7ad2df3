// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/petsc.hpp"

#include <petscksp.h>

#include <cmath>
#include <cstdlib>
#include <mutex>

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
  // Of several ranks each has a PETSc of its own, which does not wait for the others'.
  int with_ranks = 0;
  MPI_Initialized(&with_ranks);
  if (with_ranks != 0) PETSC_COMM_WORLD = MPI_COMM_SELF;
  check(PetscInitializeNoArguments(), "to start");
  check(PetscPopSignalHandler(), "to leave signals alone");
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) PetscFinalize();
  });
}

/// PETSc keeps state for all its objects, and the members of an ensemble run side by side.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// While it lives PETSc returns errors instead of writing about them.
class QuietErrors {
 public:
  QuietErrors() { PetscPushErrorHandler(PetscReturnErrorHandler, nullptr); }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() { PetscPopErrorHandler(); }
};

/// y = A x of the operator that a shell matrix stands for.
PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  void* place = nullptr;
  PetscScalar const* from = nullptr;
  PetscScalar* to = nullptr;
  PetscErrorCode code = MatShellGetContext(matrix, &place);
  if (code == 0) code = VecGetArrayRead(x, &from);
  if (code == 0) code = VecGetArrayWrite(y, &to);
  if (code != 0) return code;
  // PETSc is C: nothing may be thrown through it.
  try {
    static_cast<LinearOperator<double, Host>*>(place)->apply(from, to);
  } catch (...) {
    code = PETSC_ERR_USER;
  }
  auto const read = VecRestoreArrayRead(x, &from), written = VecRestoreArrayWrite(y, &to);
  return code != 0 ? code : read != 0 ? read : written;
}

}  // namespace

struct PetscSolver::Objects {
  Mat matrix = nullptr;
  Mat shell = nullptr;
  KSP solver = nullptr;
  PetscOptions options = nullptr;
  PetscInt size = 0;

  ~Objects() {
    KSPDestroy(&solver);
    MatDestroy(&shell);
    MatDestroy(&matrix);
    PetscOptionsDestroy(&options);
  }
};

PetscSolver::PetscSolver(CsrView<double const> matrix, std::string const& options,
                         PetscDefaults const& defaults)
    : PetscSolver(nullptr, matrix, options, defaults) {}

PetscSolver::PetscSolver(LinearOperator<double, Host>& a, CsrView<double const> near,
                         std::string const& options, PetscDefaults const& defaults)
    : PetscSolver(&a, near, options, defaults) {}

PetscSolver::PetscSolver(LinearOperator<double, Host>* a, CsrView<double const> matrix,
                         std::string const& options, PetscDefaults const& defaults)
    : objects_{std::make_unique<Objects>()} {
  std::lock_guard const lock(one_at_a_time());
  start_petsc();
  QuietErrors const quiet;
  auto& [mat, shell, ksp, own_options, size] = *objects_;
  auto const& pattern = matrix.pattern;
  size = pattern.rows;
  // PETSc's arrays are not const, and it changes none of these.
  check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, pattern.rows, pattern.columns,
                                  const_cast<PetscInt*>(pattern.start), const_cast<PetscInt*>(pattern.column),
                                  const_cast<PetscScalar*>(matrix.value), &mat),
        "the matrix");
  if (a != nullptr) {
    check(MatCreateShell(PETSC_COMM_SELF, size, size, size, size, a, &shell), "an operator");
    check(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply)), "an operator");
  }
  check(PetscOptionsCreate(&own_options), "options");
  check<InputError>(PetscOptionsInsertString(own_options, options.c_str()), "the options '" + options + "'");
  check(KSPCreate(PETSC_COMM_SELF, &ksp), "a solver");
  check(PetscObjectSetOptions(reinterpret_cast<PetscObject>(ksp), own_options), "options");
  check(KSPSetOperators(ksp, a != nullptr ? shell : mat, mat), "the matrix");
  check(KSPSetInitialGuessNonzero(ksp, defaults.from_zero ? PETSC_FALSE : PETSC_TRUE), "a guess");
  check(KSPSetTolerances(ksp, defaults.relative, PETSC_DEFAULT, PETSC_DEFAULT, defaults.iterations),
        "a tolerance");
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

PetscSolver::~PetscSolver() {
  std::lock_guard const lock(one_at_a_time());
  objects_.reset();
}

void PetscSolver::update() {
  std::lock_guard const lock(one_at_a_time());
  // Assembly forgets what PETSc has computed from the old ones.
  check(MatAssemblyBegin(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
  check(MatAssemblyEnd(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
}

PetscReport PetscSolver::solve(double const* b, double* x) {
  std::lock_guard const lock(one_at_a_time());
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
  report.finite = reason != KSP_DIVERGED_NANORINF && std::isfinite(report.residual);
  report.reason = name == nullptr ? "" : name;
  report.history.assign(norms, norms + count);
  return report;
}

}  // namespace ulpine::linalg
