// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/seaice/solver.hpp"

namespace ulpine::test {

inline std::vector<double> read(seaice::Solver const& solver, seaice::FieldId field) {
  std::vector<double> values(static_cast<std::size_t>(solver.layout(field).values));
  solver.read(field, values.data());
  return values;
}

inline std::unique_ptr<seaice::Solver> make(char const* policy, Assembly assembly, QuadMesh const& mesh,
                                            seaice::Parameters const& parameters, int threads = 1) {
  return std::unique_ptr<seaice::Solver>(
      seaice::make_solver(Host{threads}, policy, assembly, mesh, parameters));
}

/// [cell][mode] as other codes store dG fields, to [mode][cell].
inline std::vector<double> by_mode(std::vector<double> const& by_cell, std::size_t modes) {
  std::vector<double> result(by_cell.size());
  auto const cells = by_cell.size() / modes;
  for (std::size_t k = 0; k < cells; ++k) {
    for (std::size_t m = 0; m < modes; ++m) {
      result[m * cells + k] = by_cell[k * modes + m];
    }
  }
  return result;
}

}  // namespace ulpine::test
