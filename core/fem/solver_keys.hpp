// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::fem {

/// The keys of `table` that say how a linear system is solved for `fields`; `usual` is the method where a
/// case names none.
inline std::vector<io::CaseKey> solver_keys(std::string const& table, std::string const& fields,
                                            double tolerance, std::string_view usual) {
  auto const own = "no " + table + ".petsc";
  std::vector<io::KeyChoice> methods{
      {"bicgstab", "stabilised biconjugate gradients"},
      {"gcr", "generalised conjugate residuals, truncated, for matrices whose symmetric part is definite"},
      {"gmres", "generalised minimal residuals, restarted"},
      {"cg", "conjugate gradients, for matrices that are symmetric or nearly so"}};
  auto const first = std::ranges::find(methods, usual, &io::KeyChoice::name);
  std::rotate(methods.begin(), first, first + 1);
  return {
      io::choice_key(table + ".method", methods, "iterative method that solves for " + fields).needing(own),
      io::number_key(table + ".tolerance", tolerance, 1e-30, 0.5,
                     "preconditioned residual over that at the start at which " + fields + " are solved"),
      io::integer_key(table + ".iterations", 500, 1, 100000,
                      "iterations after which the solution for " + fields + " has failed"),
      io::integer_key(table + ".restart", 30, 1, 1000, "iterations after which gmres starts anew")
          .needing(table + ".method = \"gmres\""),
      io::text_key(table + ".petsc", "",
                   "options by which PETSc solves for " + fields +
                       " instead, as on its command line: \"-ksp_type cg -pc_type gamg\""),
  };
}

}  // namespace ulpine::fem
