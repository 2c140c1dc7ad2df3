// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/linalg/csr.hpp"
#include "core/linalg/operator.hpp"

/// Linear systems by PETSc on the host, on one rank or on several processes of MPI: the reference of the
/// solvers here, and a production solver with all of PETSc's options. Optional: ulpine::petsc exists where
/// PETSc was found.
namespace ulpine::linalg {

struct PetscReport {
  bool converged = false;
  bool finite = true;  ///< no NaN or infinity came up
  std::string reason;  ///< as PETSc names it: "CONVERGED_RTOL"
  std::int32_t iterations = 0;
  double residual = 0;
  std::vector<double> history;  ///< from the start on
};

/// Settings that hold where the options say nothing.
struct PetscDefaults {
  double relative = 1e-5;
  std::int32_t iterations = 10000;
  bool from_zero = false;  ///< x holds no guess
};

/// Solves A x = b. `options` are PETSc's, "-ksp_type gmres -pc_type sor -ksp_rtol 1e-7"; they hold for this
/// solver alone. Relative tolerances are relative to b in the norm of the method (||B b|| by default).
///
/// Where ranks share the system (`sharing`), all of them make, call and destroy their part
/// together, and an error of one is thrown by all alike. Matrices have a rank's own rows then, with columns
/// by the numbers of points (shared_rows.hpp); vectors, and the operator's, have all that it holds. PETSc
/// sums in an order of its own: what comes out depends on the number of ranks.
class PetscSolver {
 public:
  /// Views the matrix, in host memory, while it lives. InputError where PETSc refuses the options or does not
  /// know one, and for ranks that are no processes of MPI.
  PetscSolver(CsrView<double const> matrix, std::string const& options, PetscDefaults const& defaults = {},
              Sharing<Host> const& sharing = {});
  /// Multiplies by `a`, which is viewed too; the preconditioner is made of `near`.
  PetscSolver(LinearOperator<double, Host>& a, CsrView<double const> near, std::string const& options,
              PetscDefaults const& defaults = {}, Sharing<Host> const& sharing = {});
  PetscSolver(PetscSolver const&) = delete;
  PetscSolver& operator=(PetscSolver const&) = delete;
  ~PetscSolver();

  /// The matrix's values have changed.
  void update();
  /// Solves from the guess in x. Ghosts of x are right afterwards.
  PetscReport solve(double const* b, double* x);

 private:
  PetscSolver(LinearOperator<double, Host>* a, CsrView<double const> matrix, std::string const& options,
              PetscDefaults const& defaults, Sharing<Host> const& sharing);

  struct Objects;
  std::unique_ptr<Objects> objects_;
};

}  // namespace ulpine::linalg
