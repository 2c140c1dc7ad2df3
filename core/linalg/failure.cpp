// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/failure.hpp"

#include <sstream>

namespace ulpine::linalg {

void require_converged(SolveReport const& report, std::string_view system) {
  if (report.outcome == Outcome::converged) return;
  auto const [why, remedy] = [&]() -> std::pair<char const*, char const*> {
    switch (report.outcome) {
      case Outcome::not_definite:
        return {"its matrix or preconditioner is not positive definite", "use gmres or bicgstab"};
      case Outcome::breakdown:
        return {"a divisor of the method became zero", "use gmres, or a matrix that is not singular"};
      case Outcome::not_finite:
        return {"a value is infinite or not a number",
                "look at the state before it, and at the step's length"};
      default:
        return {"the iterations are used up", "allow more, or a larger tolerance or another preconditioner"};
    }
  }();
  std::ostringstream text;
  text << "the " << system << " was not solved: residual " << report.residual << " of " << report.reference
       << " after " << report.iterations << " iterations (" << why << ") " << remedy;
  throw SolveFailure(text.str());
}

}  // namespace ulpine::linalg
