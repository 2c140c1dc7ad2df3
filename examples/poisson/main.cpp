// SPDX-License-Identifier: Apache-2.0
// Solves L p = d where the answer is known: poisson [cpu|cuda] [fp64|fp32].
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <vector>

#include <ulpine/core/poisson/solver.hpp>

int main(int argc, char** argv) try {
  constexpr int nx = 64, ny = 48, nz = 32;
  auto const grid = ulpine::uniform_poisson_grid(nx, ny, nz, 1.0 / nx, 1.0 / ny, 1.0 / nz);
  constexpr double pi = std::numbers::pi;
  std::vector<double> exact, rhs;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        exact.push_back(std::cos(2 * pi * i / nx) * std::sin(2 * pi * j / ny) *
                        std::cos(pi * (k + 0.5) / nz));
        rhs.push_back(-9 * pi * pi * exact.back());  // its Laplacian
      }
    }
  }

  ulpine::PoissonSolver solver(grid, argc > 1 ? argv[1] : "cpu", argc > 2 ? argv[2] : "fp64");
  std::vector<double> pressure(rhs.size());
  solver.solve(rhs.data(), pressure.data());

  double error = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) error = std::fmax(error, std::abs(pressure[i] - exact[i]));
  std::printf("largest error %.3g, %.3g ms\n", error, 1e3 * solver.seconds().total);
  return error < 1e-2 ? 0 : 1;  // second order: pi^2 h^2 / 12 and more
} catch (std::exception const& error) {
  std::fprintf(stderr, "poisson: %s\n", error.what());
  return 1;
}
