// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/petsc.hpp"

#include <dlfcn.h>
#include <petscksp.h>

#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "io/error.hpp"

namespace ulpine::linalg {
namespace {

static_assert(sizeof(PetscInt) == sizeof(std::int32_t), "PETSc counts in 32 bits here");
static_assert(sizeof(PetscScalar) == sizeof(double), "PETSc's numbers are real doubles here");

/// PETSc's functions, looked up when they are first needed: with the hundred libraries that it brings,
/// loading it takes longer than all else at the start of every program.
struct Library {
  decltype(&::KSPCreate) KSPCreate = nullptr;
  decltype(&::KSPDestroy) KSPDestroy = nullptr;
  decltype(&::KSPGetConvergedReason) KSPGetConvergedReason = nullptr;
  decltype(&::KSPGetConvergedReasonString) KSPGetConvergedReasonString = nullptr;
  decltype(&::KSPGetIterationNumber) KSPGetIterationNumber = nullptr;
  decltype(&::KSPGetResidualHistory) KSPGetResidualHistory = nullptr;
  decltype(&::KSPGetResidualNorm) KSPGetResidualNorm = nullptr;
  decltype(&::KSPSetFromOptions) KSPSetFromOptions = nullptr;
  decltype(&::KSPSetInitialGuessNonzero) KSPSetInitialGuessNonzero = nullptr;
  decltype(&::KSPSetOperators) KSPSetOperators = nullptr;
  decltype(&::KSPSetResidualHistory) KSPSetResidualHistory = nullptr;
  decltype(&::KSPSetTolerances) KSPSetTolerances = nullptr;
  decltype(&::KSPSetUp) KSPSetUp = nullptr;
  decltype(&::KSPSolve) KSPSolve = nullptr;
  decltype(&::MatAssemblyBegin) MatAssemblyBegin = nullptr;
  decltype(&::MatAssemblyEnd) MatAssemblyEnd = nullptr;
  decltype(&::MatCreateSeqAIJWithArrays) MatCreateSeqAIJWithArrays = nullptr;
  decltype(&::MatCreateShell) MatCreateShell = nullptr;
  decltype(&::MatDestroy) MatDestroy = nullptr;
  decltype(&::MatShellGetContext) MatShellGetContext = nullptr;
  decltype(&::MatShellSetOperation) MatShellSetOperation = nullptr;
  decltype(&::PetscErrorMessage) PetscErrorMessage = nullptr;
  decltype(&::PetscFinalize) PetscFinalize = nullptr;
  decltype(&::PetscInitializeNoArguments) PetscInitializeNoArguments = nullptr;
  decltype(&::PetscInitialized) PetscInitialized = nullptr;
  decltype(&::PetscObjectSetOptions) PetscObjectSetOptions = nullptr;
  decltype(&::PetscOptionsCreate) PetscOptionsCreate = nullptr;
  decltype(&::PetscOptionsDestroy) PetscOptionsDestroy = nullptr;
  decltype(&::PetscOptionsInsertString) PetscOptionsInsertString = nullptr;
  decltype(&::PetscOptionsLeftGet) PetscOptionsLeftGet = nullptr;
  decltype(&::PetscOptionsLeftRestore) PetscOptionsLeftRestore = nullptr;
  decltype(&::PetscPopErrorHandler) PetscPopErrorHandler = nullptr;
  decltype(&::PetscPopSignalHandler) PetscPopSignalHandler = nullptr;
  decltype(&::PetscPushErrorHandler) PetscPushErrorHandler = nullptr;
  decltype(&::PetscReturnErrorHandler) PetscReturnErrorHandler = nullptr;
  decltype(&::VecCreateSeqWithArray) VecCreateSeqWithArray = nullptr;
  decltype(&::VecDestroy) VecDestroy = nullptr;
  decltype(&::VecGetArrayRead) VecGetArrayRead = nullptr;
  decltype(&::VecGetArrayWrite) VecGetArrayWrite = nullptr;
  decltype(&::VecRestoreArrayRead) VecRestoreArrayRead = nullptr;
  decltype(&::VecRestoreArrayWrite) VecRestoreArrayWrite = nullptr;
  MPI_Comm* PETSC_COMM_WORLD = nullptr;
};

Library const& petsc() {
  static Library const loaded = [] {
    constexpr std::string_view path = ULPINE_PETSC_LIBRARY;  // elsewhere it has the same name
    auto* handle = dlopen(path.data(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) handle = dlopen(path.substr(path.rfind('/') + 1).data(), RTLD_LAZY | RTLD_LOCAL);
    auto const missing = [] {
      auto const* const reason = dlerror();
      return EnvironmentError("PETSc cannot be loaded (" +
                              one_line(reason == nullptr ? "no reason given" : reason) +
                              ") install the one that Ulpine was built with, " + ULPINE_PETSC_LIBRARY);
    };
    if (handle == nullptr) throw missing();
    Library all;
    auto const take = [&]<class Pointer>(Pointer& pointer, char const* name) {
      pointer = reinterpret_cast<Pointer>(dlsym(handle, name));
      if (pointer == nullptr) throw missing();
    };
    take(all.KSPCreate, "KSPCreate");
    take(all.KSPDestroy, "KSPDestroy");
    take(all.KSPGetConvergedReason, "KSPGetConvergedReason");
    take(all.KSPGetConvergedReasonString, "KSPGetConvergedReasonString");
    take(all.KSPGetIterationNumber, "KSPGetIterationNumber");
    take(all.KSPGetResidualHistory, "KSPGetResidualHistory");
    take(all.KSPGetResidualNorm, "KSPGetResidualNorm");
    take(all.KSPSetFromOptions, "KSPSetFromOptions");
    take(all.KSPSetInitialGuessNonzero, "KSPSetInitialGuessNonzero");
    take(all.KSPSetOperators, "KSPSetOperators");
    take(all.KSPSetResidualHistory, "KSPSetResidualHistory");
    take(all.KSPSetTolerances, "KSPSetTolerances");
    take(all.KSPSetUp, "KSPSetUp");
    take(all.KSPSolve, "KSPSolve");
    take(all.MatAssemblyBegin, "MatAssemblyBegin");
    take(all.MatAssemblyEnd, "MatAssemblyEnd");
    take(all.MatCreateSeqAIJWithArrays, "MatCreateSeqAIJWithArrays");
    take(all.MatCreateShell, "MatCreateShell");
    take(all.MatDestroy, "MatDestroy");
    take(all.MatShellGetContext, "MatShellGetContext");
    take(all.MatShellSetOperation, "MatShellSetOperation");
    take(all.PetscErrorMessage, "PetscErrorMessage");
    take(all.PetscFinalize, "PetscFinalize");
    take(all.PetscInitializeNoArguments, "PetscInitializeNoArguments");
    take(all.PetscInitialized, "PetscInitialized");
    take(all.PetscObjectSetOptions, "PetscObjectSetOptions");
    take(all.PetscOptionsCreate, "PetscOptionsCreate");
    take(all.PetscOptionsDestroy, "PetscOptionsDestroy");
    take(all.PetscOptionsInsertString, "PetscOptionsInsertString");
    take(all.PetscOptionsLeftGet, "PetscOptionsLeftGet");
    take(all.PetscOptionsLeftRestore, "PetscOptionsLeftRestore");
    take(all.PetscPopErrorHandler, "PetscPopErrorHandler");
    take(all.PetscPopSignalHandler, "PetscPopSignalHandler");
    take(all.PetscPushErrorHandler, "PetscPushErrorHandler");
    take(all.PetscReturnErrorHandler, "PetscReturnErrorHandler");
    take(all.VecCreateSeqWithArray, "VecCreateSeqWithArray");
    take(all.VecDestroy, "VecDestroy");
    take(all.VecGetArrayRead, "VecGetArrayRead");
    take(all.VecGetArrayWrite, "VecGetArrayWrite");
    take(all.VecRestoreArrayRead, "VecRestoreArrayRead");
    take(all.VecRestoreArrayWrite, "VecRestoreArrayWrite");
    take(all.PETSC_COMM_WORLD, "PETSC_COMM_WORLD");
    return all;
  }();
  return loaded;
}

template <class Error = EnvironmentError>
void check(PetscErrorCode code, std::string const& what) {
  if (code == 0) return;
  char const* text = nullptr;
  petsc().PetscErrorMessage(code, &text, nullptr);
  throw Error("PETSc refuses " + what + " (" + one_line(text == nullptr ? "no reason given" : text) +
              ") see PETSc's manual");
}

void start_petsc() {
  PetscBool started = PETSC_FALSE;
  check(petsc().PetscInitialized(&started), "to be asked");
  if (started == PETSC_TRUE) return;
  // One rank without a launcher needs no daemon beside it.
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  // Of several ranks each has a PETSc of its own, which does not wait for the others'.
  int with_ranks = 0;
  MPI_Initialized(&with_ranks);
  if (with_ranks != 0) *petsc().PETSC_COMM_WORLD = MPI_COMM_SELF;
  check(petsc().PetscInitializeNoArguments(), "to start");
  check(petsc().PetscPopSignalHandler(), "to leave signals alone");
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) petsc().PetscFinalize();
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
  QuietErrors() { petsc().PetscPushErrorHandler(petsc().PetscReturnErrorHandler, nullptr); }
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;
  ~QuietErrors() { petsc().PetscPopErrorHandler(); }
};

/// y = A x of the operator that a shell matrix stands for.
PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  void* place = nullptr;
  PetscScalar const* from = nullptr;
  PetscScalar* to = nullptr;
  PetscErrorCode code = petsc().MatShellGetContext(matrix, &place);
  if (code == 0) code = petsc().VecGetArrayRead(x, &from);
  if (code == 0) code = petsc().VecGetArrayWrite(y, &to);
  if (code != 0) return code;
  // PETSc is C: nothing may be thrown through it.
  try {
    static_cast<LinearOperator<double, Host>*>(place)->apply(from, to);
  } catch (...) {
    code = PETSC_ERR_USER;
  }
  auto const read = petsc().VecRestoreArrayRead(x, &from), written = petsc().VecRestoreArrayWrite(y, &to);
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
    petsc().KSPDestroy(&solver);
    petsc().MatDestroy(&shell);
    petsc().MatDestroy(&matrix);
    petsc().PetscOptionsDestroy(&options);
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
  check(petsc().MatCreateSeqAIJWithArrays(
            PETSC_COMM_SELF, pattern.rows, pattern.columns, const_cast<PetscInt*>(pattern.start),
            const_cast<PetscInt*>(pattern.column), const_cast<PetscScalar*>(matrix.value), &mat),
        "the matrix");
  if (a != nullptr) {
    check(petsc().MatCreateShell(PETSC_COMM_SELF, size, size, size, size, a, &shell), "an operator");
    check(petsc().MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply)),
          "an operator");
  }
  check(petsc().PetscOptionsCreate(&own_options), "options");
  check<InputError>(petsc().PetscOptionsInsertString(own_options, options.c_str()),
                    "the options '" + options + "'");
  check(petsc().KSPCreate(PETSC_COMM_SELF, &ksp), "a solver");
  check(petsc().PetscObjectSetOptions(reinterpret_cast<PetscObject>(ksp), own_options), "options");
  check(petsc().KSPSetOperators(ksp, a != nullptr ? shell : mat, mat), "the matrix");
  check(petsc().KSPSetInitialGuessNonzero(ksp, defaults.from_zero ? PETSC_FALSE : PETSC_TRUE), "a guess");
  check(petsc().KSPSetTolerances(ksp, defaults.relative, PETSC_DEFAULT, PETSC_DEFAULT, defaults.iterations),
        "a tolerance");
  check<InputError>(petsc().KSPSetFromOptions(ksp), "the options '" + options + "'");
  check<InputError>(petsc().KSPSetUp(ksp), "to prepare the solver by '" + options + "'");
  check(petsc().KSPSetResidualHistory(ksp, nullptr, PETSC_DECIDE, PETSC_TRUE), "a history");
  PetscInt left = 0;
  char **names = nullptr, **values = nullptr;
  check(petsc().PetscOptionsLeftGet(own_options, &left, &names, &values), "options");
  auto const unknown = left > 0 ? std::string(names[0]) : std::string();
  check(petsc().PetscOptionsLeftRestore(own_options, &left, &names, &values), "options");
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
  check(petsc().MatAssemblyBegin(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
  check(petsc().MatAssemblyEnd(objects_->matrix, MAT_FINAL_ASSEMBLY), "new values");
}

PetscReport PetscSolver::solve(double const* b, double* x) {
  std::lock_guard const lock(one_at_a_time());
  QuietErrors const quiet;
  auto const size = objects_->size;
  auto* const ksp = objects_->solver;
  Vec right = nullptr, solution = nullptr;
  check(petsc().VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, b, &right), "a vector");
  check(petsc().VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, x, &solution), "a vector");
  auto const code = petsc().KSPSolve(ksp, right, solution);
  petsc().VecDestroy(&right);
  petsc().VecDestroy(&solution);
  check(code, "to solve");
  PetscReport report;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  char const* name = nullptr;
  PetscReal const* norms = nullptr;
  PetscInt count = 0;
  check(petsc().KSPGetConvergedReason(ksp, &reason), "its reason");
  check(petsc().KSPGetConvergedReasonString(ksp, &name), "its reason");
  check(petsc().KSPGetIterationNumber(ksp, &report.iterations), "its iterations");
  check(petsc().KSPGetResidualNorm(ksp, &report.residual), "its residual");
  check(petsc().KSPGetResidualHistory(ksp, &norms, &count), "its history");
  report.converged = reason > 0;
  report.finite = reason != KSP_DIVERGED_NANORINF && std::isfinite(report.residual);
  report.reason = name == nullptr ? "" : name;
  report.history.assign(norms, norms + count);
  return report;
}

}  // namespace ulpine::linalg
