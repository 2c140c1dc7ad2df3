// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/fem/pressure_solver.hpp"
#include "core/stage/stage.hpp"

/// PETSc as the solver of the model on the host, in double, by the options of a case; on several ranks they
/// share the solver (linalg::PetscSolver).
namespace ulpine::fem {

/// Whether the program was built with it.
bool has_petsc();

/// Reproducibility of a solve by PETSc with these options: on one rank the same bits. On several ranks PETSc
/// has them again with preconditioners that add nothing of other ranks (or with its own choice, bjacobi), as
/// they are without more options of theirs; others add what comes first: measured of gamg and of MUMPS
/// (docs/explanation/ranks.md).
Guarantee guarantee_by_petsc(std::string const& options, bool several);

/// A solver besides our own, in double on the host.
class ForeignSolver {
 public:
  virtual ~ForeignSolver() = default;
  /// The matrix's values have changed.
  virtual void update() = 0;
  /// As solve_from_zero; its report tells of the component with the most iterations.
  virtual linalg::SolveReport solve(double const* right, double* x) = 0;
};

/// For the matrix, viewed while it lives, with each of the `components` of vectors that hold those of a node
/// side by side. Its values are of the kind that is solved with, since PETSc tries its options on them.
/// InputError at the options' place for what PETSc refuses. Of ranks that share it, `sharing` rows and
/// points, each has the matrix and vectors of what it holds.
std::unique_ptr<ForeignSolver> make_petsc(CsrView<double const> matrix, int components,
                                          SolverOptions const& options, char const* system,
                                          linalg::Sharing<Host> const& sharing = {});

/// For the pressure's operator; the preconditioner is made of `helmholtz` or, with options.formed, of the
/// operator's own matrix, formed on the second-order pattern at each update().
std::unique_ptr<ForeignSolver> make_petsc_pressure(PressureOperator<double, Host>& matrix,
                                                   PressureSystem<double> const& parts,
                                                   double const* helmholtz, SolverOptions const& options,
                                                   linalg::Sharing<Host> const& sharing = {});

}  // namespace ulpine::fem
