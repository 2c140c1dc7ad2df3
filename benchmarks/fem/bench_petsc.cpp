// SPDX-License-Identifier: Apache-2.0
// Our solvers beside PETSc on the host, one thread: bench_petsc CASE [WIDTH (24)]. The linear systems after
// three steps of a case of a box, WIDTH cells along x and y and 3/4 of that along z; each by each method to
// the model's tolerances from 0: iterations, and the least processor time of five solves with what a change
// of the matrix asks for (diagonal, factorisation, coarse matrices) and, in brackets, the first's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "benchmarks/fem/case_of_width.hpp"
#include "core/fem/petsc.hpp"
#include "tests/fem/model_systems.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

template <class Solve>
void report_times(char const* system, std::string const& method, Solve const& solve) {
  auto least = 1e9, first = 0.0;
  linalg::SolveReport report;
  for (int n = 0; n < 6; ++n) {
    auto const begin = std::clock();
    report = solve();
    auto const time = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (n == 0) {
      first = time;
    } else {
      least = std::min(least, time);
    }
  }
  std::printf("| %s | %s | %d%s | %.2f (%.2f) |\n", system, method.c_str(), report.iterations,
              report.outcome == linalg::Outcome::converged ? "" : ", not solved", least, first);
  std::fflush(stdout);
}

SolverOptions by_petsc(SolverOptions options, std::string const& text) {
  options.petsc = text;
  return options;
}

template <linalg::Blocks blocks>
void rates(char const* name, CsrView<double const> matrix, std::vector<double> const& right,
           SolverOptions const& options) {
  constexpr auto components = linalg::components_of(blocks);
  std::vector<double> x(right.size());
  for (auto const method : {Method::bicgstab, Method::gmres}) {
    auto own = options;
    own.method = method;
    linalg::MatrixOperator<double, double, Host, blocks> product(Host{}, matrix);
    linalg::Jacobi<double, double, Host, blocks> diagonal(Host{}, matrix);
    auto const krylov = make_krylov<double>(Host{}, product.size(), own, 2, {});
    report_times(name, method == Method::gmres ? "ours, gmres, Jacobi" : "ours, bicgstab, Jacobi", [&] {
      diagonal.update();
      return solve_from_zero<double>(Host{}, *krylov, product, diagonal, own, name, right.data(), x.data());
    });
  }
  for (auto const* text : {"-ksp_type bcgs -pc_type jacobi", "-ksp_type gmres -pc_type jacobi",
                           "-ksp_type gmres -pc_type sor", "-ksp_type bcgs -pc_type ilu"}) {
    auto const petsc = make_petsc(matrix, components, by_petsc(options, text), name);
    report_times(name, text, [&] {
      petsc->update();
      return petsc->solve(right.data(), x.data());
    });
  }
}

void pressure(test::ModelSystems const& model) {
  auto const near = model.helmholtz();
  auto const& right = model.pressure_right();
  auto options = model.parameters().pressure;
  options.must_converge = false;
  std::vector<double> x(right.size());
  struct Way {
    char const* name;
    Method method;
    bool multigrid, narrow;
  };
  for (auto const& way : {Way{"ours, gcr, multigrid in float", Method::gcr, true, true},
                          Way{"ours, gcr, multigrid", Method::gcr, true, false},
                          Way{"ours, bicgstab, multigrid", Method::bicgstab, true, false},
                          Way{"ours, bicgstab, Jacobi", Method::bicgstab, false, false},
                          Way{"ours, gmres, multigrid", Method::gmres, true, false},
                          Way{"ours, gmres, Jacobi", Method::gmres, false, false}}) {
    auto own = options;
    own.method = way.method;
    own.multigrid = way.multigrid;
    own.narrow = way.narrow;
    PressureSolver<double, Host> solver(Host{}, model.pressure(), near.value, own);
    report_times("pressure", way.name, [&] {
      solver.solve(right.data(), x.data());
      return solver.report();
    });
  }
  struct Choice {
    char const* text;
    bool formed;
  };
  for (auto const& [text, formed] :
       {Choice{"-ksp_type bcgs -pc_type jacobi", false}, Choice{"-ksp_type gmres -pc_type sor", false},
        Choice{"-ksp_type gmres -pc_type gamg", false}, Choice{"-ksp_type bcgs -pc_type gamg", false},
        Choice{"-ksp_type cg -pc_type gamg", false}, Choice{"-ksp_type gmres -pc_type sor", true},
        Choice{"-ksp_type gmres -pc_type gamg", true}}) {
    options.formed = formed;
    PressureSolver<double, Host> solver(Host{}, model.pressure(), near.value, by_petsc(options, text));
    report_times("pressure", std::string(text) + (formed ? ", formed" : ""), [&] {
      solver.solve(right.data(), x.data());
      return solver.report();
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int const width = argc > 2 ? std::atoi(argv[2]) : 24;
    if (argc < 2 || width < 4 || width > 256) {
      std::fprintf(stderr, "bench_petsc CASE [WIDTH, 4 to 256]\n");
      return 2;
    }
    test::ModelSystems const model(bench::case_of_width(argv[1], width), 3);
    std::printf("%d nodes\n", model.nodes());
    auto options = model.parameters().velocity;
    options.must_converge = false;
    rates<linalg::Blocks::scalar>("scalar", model.scalar().view(), model.scalar().right, options);
    rates<linalg::Blocks::shared>("wind", model.wind().view(), model.force(), options);
    pressure(model);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
