// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/petsc.hpp"

#include <dlfcn.h>
#include <petscksp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "core/exec/host.hpp"
#include "core/ranks/mpi_ranks.hpp"
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
  decltype(&::MatCreateMPIAIJWithArrays) MatCreateMPIAIJWithArrays = nullptr;
  decltype(&::MatCreateSeqAIJWithArrays) MatCreateSeqAIJWithArrays = nullptr;
  decltype(&::MatCreateShell) MatCreateShell = nullptr;
  decltype(&::MatDestroy) MatDestroy = nullptr;
  decltype(&::MatShellGetContext) MatShellGetContext = nullptr;
  decltype(&::MatShellSetOperation) MatShellSetOperation = nullptr;
  decltype(&::MatUpdateMPIAIJWithArray) MatUpdateMPIAIJWithArray = nullptr;
  decltype(&::PetscErrorMessage) PetscErrorMessage = nullptr;
  decltype(&::PetscFinalize) PetscFinalize = nullptr;
  decltype(&::PetscInitialize) PetscInitialize = nullptr;
  decltype(&::PetscInitialized) PetscInitialized = nullptr;
  decltype(&::PetscOptionsCreate) PetscOptionsCreate = nullptr;
  decltype(&::PetscOptionsDestroy) PetscOptionsDestroy = nullptr;
  decltype(&::PetscOptionsInsertString) PetscOptionsInsertString = nullptr;
  decltype(&::PetscOptionsLeftGet) PetscOptionsLeftGet = nullptr;
  decltype(&::PetscOptionsLeftRestore) PetscOptionsLeftRestore = nullptr;
  decltype(&::PetscOptionsPop) PetscOptionsPop = nullptr;
  decltype(&::PetscOptionsPush) PetscOptionsPush = nullptr;
  decltype(&::PetscPopErrorHandler) PetscPopErrorHandler = nullptr;
  decltype(&::PetscPopSignalHandler) PetscPopSignalHandler = nullptr;
  decltype(&::PetscPushErrorHandler) PetscPushErrorHandler = nullptr;
  decltype(&::PetscReturnErrorHandler) PetscReturnErrorHandler = nullptr;
  decltype(&::VecCreateMPIWithArray) VecCreateMPIWithArray = nullptr;
  decltype(&::VecCreateSeqWithArray) VecCreateSeqWithArray = nullptr;
  decltype(&::VecDestroy) VecDestroy = nullptr;
  decltype(&::VecGetArrayRead) VecGetArrayRead = nullptr;
  decltype(&::VecGetArrayWrite) VecGetArrayWrite = nullptr;
  decltype(&::VecPlaceArray) VecPlaceArray = nullptr;
  decltype(&::VecResetArray) VecResetArray = nullptr;
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
    take(all.MatCreateMPIAIJWithArrays, "MatCreateMPIAIJWithArrays");
    take(all.MatCreateSeqAIJWithArrays, "MatCreateSeqAIJWithArrays");
    take(all.MatCreateShell, "MatCreateShell");
    take(all.MatDestroy, "MatDestroy");
    take(all.MatShellGetContext, "MatShellGetContext");
    take(all.MatShellSetOperation, "MatShellSetOperation");
    take(all.MatUpdateMPIAIJWithArray, "MatUpdateMPIAIJWithArray");
    take(all.PetscErrorMessage, "PetscErrorMessage");
    take(all.PetscFinalize, "PetscFinalize");
    take(all.PetscInitialize, "PetscInitialize");
    take(all.PetscInitialized, "PetscInitialized");
    take(all.PetscOptionsCreate, "PetscOptionsCreate");
    take(all.PetscOptionsDestroy, "PetscOptionsDestroy");
    take(all.PetscOptionsInsertString, "PetscOptionsInsertString");
    take(all.PetscOptionsLeftGet, "PetscOptionsLeftGet");
    take(all.PetscOptionsLeftRestore, "PetscOptionsLeftRestore");
    take(all.PetscOptionsPop, "PetscOptionsPop");
    take(all.PetscOptionsPush, "PetscOptionsPush");
    take(all.PetscPopErrorHandler, "PetscPopErrorHandler");
    take(all.PetscPopSignalHandler, "PetscPopSignalHandler");
    take(all.PetscPushErrorHandler, "PetscPushErrorHandler");
    take(all.PetscReturnErrorHandler, "PetscReturnErrorHandler");
    take(all.VecCreateMPIWithArray, "VecCreateMPIWithArray");
    take(all.VecCreateSeqWithArray, "VecCreateSeqWithArray");
    take(all.VecDestroy, "VecDestroy");
    take(all.VecGetArrayRead, "VecGetArrayRead");
    take(all.VecGetArrayWrite, "VecGetArrayWrite");
    take(all.VecPlaceArray, "VecPlaceArray");
    take(all.VecResetArray, "VecResetArray");
    take(all.VecRestoreArrayRead, "VecRestoreArrayRead");
    take(all.VecRestoreArrayWrite, "VecRestoreArrayWrite");
    take(all.PETSC_COMM_WORLD, "PETSC_COMM_WORLD");
    return all;
  }();
  return loaded;
}

/// PETSc's words for a code, the more precise ones where it has some; empty where it is no error.
std::string words_for(PetscErrorCode code) {
  if (code == 0) return {};
  char const* kind = nullptr;
  char* precise = nullptr;
  petsc().PetscErrorMessage(code, &kind, &precise);
  std::string words = precise != nullptr && *precise != 0 ? precise : kind != nullptr ? kind : "";
  if (precise != nullptr) *precise = 0;  // else it would stand for a later error without words, too
  words = one_line(words);
  while (words.ends_with('.') || words.ends_with(' ')) words.pop_back();
  return words.empty() ? "no reason given" : words;
}

/// While it lives others are waited for, for half a minute: then the program ends. A rank that has an error
/// from PETSc alone is waited for within PETSc, where no failure is heard of.
class LastWait {
 public:
  explicit LastWait(std::string const& words)
      : thread_{[words](std::stop_token const& stop) {
          std::mutex mutex;
          std::condition_variable_any over;
          std::unique_lock lock(mutex);
          over.wait_for(lock, stop, std::chrono::seconds(30), [] { return false; });
          if (stop.stop_requested()) return;
          std::fprintf(stderr, "a rank has an error that the others have not (PETSc: %s) it ends all\n",
                       words.c_str());
          MPI_Abort(MPI_COMM_WORLD, 3);
        }} {}

 private:
  std::jthread thread_;
};

/// The words of the first rank that says anything, on all ranks; empty where none does. Collective.
std::string first_words(Ranks& ranks, std::string const& own) {
  std::int64_t speaker = own.empty() ? -ranks.size() : -ranks.rank();
  {
    std::optional<LastWait> wait;
    if (!own.empty()) wait.emplace(own);
    ranks.largest({&speaker, 1});
  }
  if (speaker == -ranks.size()) return {};
  std::array<char, 1024> words{};
  std::vector<Outgoing> sent;
  std::vector<Incoming> received;
  auto const first = static_cast<int>(-speaker);
  if (ranks.rank() == first) {
    std::copy_n(own.begin(), std::min(own.size(), words.size() - 1), words.begin());
    for (int to = 0; to < ranks.size(); ++to) {
      if (to != first) sent.push_back({to, words.data(), static_cast<std::int64_t>(words.size())});
    }
  } else {
    received.push_back({first, words.data(), static_cast<std::int64_t>(words.size())});
  }
  ranks.exchange(sent, received);
  return words.data();
}

/// Throws where PETSc has returned an error, `why` if it says so: on all ranks alike where there are several.
template <class Error = EnvironmentError>
void check(PetscErrorCode code, std::string const& what, Ranks* ranks = nullptr,
           char const* remedy = "see PETSc's manual", std::string const& why = {}) {
  auto const own = code != 0 && !why.empty() ? why : words_for(code);
  auto const words = ranks == nullptr ? own : first_words(*ranks, own);
  if (!words.empty()) throw Error("PETSc refuses " + what + " (" + words + ") " + remedy);
}

void end_petsc() { petsc().PetscFinalize(); }

void start_petsc() {
  PetscBool started = PETSC_FALSE;
  check(petsc().PetscInitialized(&started), "to be asked");
  if (started == PETSC_TRUE) return;
  // One rank without a launcher needs no daemon beside it.
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  // Each process starts its PETSc when its first solver is made, and waits for nobody: groups of ranks, and
  // ranks alone, come to that when they do. Solvers have the communicator of those who share them.
  int with_ranks = 0;
  MPI_Initialized(&with_ranks);
  if (with_ranks != 0) {
    *petsc().PETSC_COMM_WORLD = MPI_COMM_SELF;
    before_mpi_ends(end_petsc);
  }
  // No files of options, of which PETSc would look for one in the current folder, too.
  static char name[] = "ulpine", skip[] = "-skip_petscrc";
  static char* words[] = {name, skip, nullptr};
  int count = 2;
  char** arguments = words;
  check(petsc().PetscInitialize(&count, &arguments, nullptr, nullptr), "to start");
  check(petsc().PetscPopSignalHandler(), "to leave signals alone");
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) end_petsc();
  });
}

/// PETSc keeps state for all its objects, and the members of an ensemble run side by side.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// While it lives PETSc returns errors instead of writing about them, and knows these options alone, in
/// solvers within solvers too.
class QuietWith {
 public:
  explicit QuietWith(PetscOptions options) {
    petsc().PetscPushErrorHandler(petsc().PetscReturnErrorHandler, nullptr);
    petsc().PetscOptionsPush(options);
  }
  QuietWith(QuietWith const&) = delete;
  QuietWith& operator=(QuietWith const&) = delete;
  ~QuietWith() {
    petsc().PetscOptionsPop();
    petsc().PetscPopErrorHandler();
  }
};

/// The operator of a shell matrix. PETSc's vectors have what a rank owns, the operator's what it holds.
struct ShellProduct {
  LinearOperator<double, Host>* by = nullptr;
  Sharing<Host> sharing = {};
  std::vector<double> x = {}, y = {};  ///< of several ranks
  std::string failure = {};            ///< why it was not done

  void apply(double const* from, double* to) {
    if (sharing.ghosts == nullptr) return by->apply(from, to);
    std::copy_n(from, sharing.owned, x.begin() + sharing.first);
    (*sharing.ghosts)(x.data());
    by->apply(x.data(), y.data());
    std::copy_n(y.begin() + sharing.first, sharing.owned, to);
  }
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
  auto& product = *static_cast<ShellProduct*>(place);
  // PETSc is C: nothing may be thrown through it.
  try {
    product.apply(from, to);
  } catch (std::exception const& error) {
    product.failure = error.what();
    code = PETSC_ERR_USER;
  }
  auto const read = petsc().VecRestoreArrayRead(x, &from), written = petsc().VecRestoreArrayWrite(y, &to);
  return code != 0 ? code : read != 0 ? read : written;
}

/// The first option that no rank has used; empty: all are used. Collective where there are ranks.
std::string unused_option(PetscOptions options, Ranks* ranks) {
  PetscInt left = 0;
  char **names = nullptr, **values = nullptr;
  check(petsc().PetscOptionsLeftGet(options, &left, &names, &values), "options", ranks);
  std::vector<std::string> const own(names, names + left);
  check(petsc().PetscOptionsLeftRestore(options, &left, &names, &values), "options", ranks);
  if (ranks == nullptr) return own.empty() ? "" : own.front();
  // Each option of rank 0's list in turn, which has what nobody has used.
  for (std::size_t n = 0;; ++n) {
    std::array<char, 256> name{};
    if (ranks->rank() == 0 && n < own.size()) {
      std::copy_n(own[n].begin(), std::min(own[n].size(), name.size() - 1), name.begin());
    }
    ranks->broadcast(std::as_writable_bytes(std::span(name)));
    std::string const asked = name.data();
    if (asked.empty()) return {};
    std::int64_t used = std::ranges::find(own, asked) == own.end() ? 1 : 0;
    ranks->largest({&used, 1});
    if (used == 0) return asked;
  }
}

}  // namespace

struct PetscSolver::Objects {
  CsrView<double const> view;
  Sharing<Host> sharing;
  Ranks* ranks = nullptr;  ///< where there are several
  MPI_Comm group = MPI_COMM_SELF;
  ShellProduct product;
  Mat matrix = nullptr;
  Mat shell = nullptr;
  KSP solver = nullptr;
  Vec right = nullptr, solution = nullptr;  ///< of the arrays that are solved with
  PetscOptions options = nullptr;

  Objects(CsrView<double const> matrix, LinearOperator<double, Host>* by, Sharing<Host> const& shared)
      : view{matrix}, sharing{shared}, product{by, shared} {
    if (shared.ghosts == nullptr) return;
    ranks = shared.link->ranks();
    auto const communicator = mpi_communicator(*ranks);
    if (!communicator) {
      throw InputError(
          "PETSc solves on processes of MPI (these ranks are threads of one) start them with mpirun");
    }
    group = MPI_Comm_f2c(*communicator);
    if (by == nullptr) return;
    product.x.resize(static_cast<std::size_t>(by->size()));
    product.y.resize(product.x.size());
  }
  Objects(Objects const&) = delete;
  Objects& operator=(Objects const&) = delete;
  ~Objects() {
    petsc().VecDestroy(&right);
    petsc().VecDestroy(&solution);
    petsc().KSPDestroy(&solver);
    petsc().MatDestroy(&shell);
    petsc().MatDestroy(&matrix);
    petsc().PetscOptionsDestroy(&options);
  }

  void make_matrix() {
    auto const& pattern = view.pattern;
    if (ranks != nullptr) {
      check(petsc().MatCreateMPIAIJWithArrays(group, pattern.rows, pattern.rows, PETSC_DETERMINE,
                                              PETSC_DETERMINE, pattern.start, pattern.column, view.value,
                                              &matrix),
            "the matrix", ranks);
      check(petsc().VecCreateMPIWithArray(group, 1, pattern.rows, PETSC_DETERMINE, nullptr, &right),
            "a vector", ranks);
      check(petsc().VecCreateMPIWithArray(group, 1, pattern.rows, PETSC_DETERMINE, nullptr, &solution),
            "a vector", ranks);
      return;
    }
    // PETSc's arrays are not const, and it changes none of these.
    check(petsc().MatCreateSeqAIJWithArrays(
              group, pattern.rows, pattern.columns, const_cast<PetscInt*>(pattern.start),
              const_cast<PetscInt*>(pattern.column), const_cast<PetscScalar*>(view.value), &matrix),
          "the matrix");
    check(petsc().VecCreateSeqWithArray(group, 1, pattern.rows, nullptr, &right), "a vector");
    check(petsc().VecCreateSeqWithArray(group, 1, pattern.rows, nullptr, &solution), "a vector");
  }
  void make_shell() {
    auto const rows = view.pattern.rows;
    check(petsc().MatCreateShell(group, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, &product, &shell),
          "an operator", ranks);
    check(petsc().MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply)),
          "an operator", ranks);
  }
  /// Nobody goes on into PETSc, whose waiting hears of no failure, before all are there.
  void meet() const {
    std::int64_t word = 0;
    if (ranks != nullptr) ranks->largest({&word, 1});
  }
};

PetscSolver::PetscSolver(CsrView<double const> matrix, std::string const& options,
                         PetscDefaults const& defaults, Sharing<Host> const& sharing)
    : PetscSolver(nullptr, matrix, options, defaults, sharing) {}

PetscSolver::PetscSolver(LinearOperator<double, Host>& a, CsrView<double const> near,
                         std::string const& options, PetscDefaults const& defaults,
                         Sharing<Host> const& sharing)
    : PetscSolver(&a, near, options, defaults, sharing) {}

PetscSolver::PetscSolver(LinearOperator<double, Host>* a, CsrView<double const> matrix,
                         std::string const& options, PetscDefaults const& defaults,
                         Sharing<Host> const& sharing) {
  std::lock_guard const lock(one_at_a_time());
  start_petsc();
  auto objects = std::make_unique<Objects>(matrix, a, sharing);
  auto& all = *objects;
  auto* const ranks = all.ranks;
  all.meet();
  check(petsc().PetscOptionsCreate(&all.options), "options", ranks);
  QuietWith const quiet(all.options);
  check<InputError>(petsc().PetscOptionsInsertString(all.options, options.c_str()),
                    "the options '" + options + "'", ranks);
  all.make_matrix();
  if (a != nullptr) all.make_shell();
  check(petsc().KSPCreate(all.group, &all.solver), "a solver", ranks);
  auto* const ksp = all.solver;
  check(petsc().KSPSetOperators(ksp, a != nullptr ? all.shell : all.matrix, all.matrix), "the matrix", ranks);
  check(petsc().KSPSetInitialGuessNonzero(ksp, defaults.from_zero ? PETSC_FALSE : PETSC_TRUE), "a guess",
        ranks);
  check(petsc().KSPSetTolerances(ksp, defaults.relative, PETSC_DEFAULT, PETSC_DEFAULT, defaults.iterations),
        "a tolerance", ranks);
  check<InputError>(petsc().KSPSetFromOptions(ksp), "the options '" + options + "'", ranks);
  check<InputError>(petsc().KSPSetUp(ksp), "to prepare the solver by '" + options + "'", ranks,
                    ranks == nullptr
                        ? "see PETSc's manual"
                        : "take others (bjacobi, asm and gamg go on several ranks), or one rank");
  check(petsc().KSPSetResidualHistory(ksp, nullptr, PETSC_DECIDE, PETSC_TRUE), "a history", ranks);
  if (auto const unknown = unused_option(all.options, ranks); !unknown.empty()) {
    throw InputError("PETSc's option -" + one_line(unknown) +
                     " is not used (it is unknown, or of another solver) take it out or mend it");
  }
  objects_ = std::move(objects);
}

PetscSolver::~PetscSolver() {
  std::lock_guard const lock(one_at_a_time());
  objects_.reset();
}

void PetscSolver::update() {
  std::lock_guard const lock(one_at_a_time());
  auto const& all = *objects_;
  QuietWith const quiet(all.options);
  if (all.ranks != nullptr) {
    all.meet();
    check(petsc().MatUpdateMPIAIJWithArray(all.matrix, all.view.value), "new values", all.ranks);
    return;
  }
  // Assembly forgets what PETSc has computed from the old ones.
  check(petsc().MatAssemblyBegin(all.matrix, MAT_FINAL_ASSEMBLY), "new values");
  check(petsc().MatAssemblyEnd(all.matrix, MAT_FINAL_ASSEMBLY), "new values");
}

PetscReport PetscSolver::solve(double const* b, double* x) {
  std::lock_guard const lock(one_at_a_time());
  auto& all = *objects_;
  QuietWith const quiet(all.options);
  auto* const ksp = all.solver;
  all.meet();
  check(petsc().VecPlaceArray(all.right, b + all.sharing.first), "a vector");
  check(petsc().VecPlaceArray(all.solution, x + all.sharing.first), "a vector");
  auto const code = petsc().KSPSolve(ksp, all.right, all.solution);
  petsc().VecResetArray(all.right);
  petsc().VecResetArray(all.solution);
  check(code, "to solve", all.ranks, "see PETSc's manual", all.product.failure);
  if (all.ranks != nullptr) (*all.sharing.ghosts)(x);
  // All ranks have the same of these: PETSc itself decides by them when to end.
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
