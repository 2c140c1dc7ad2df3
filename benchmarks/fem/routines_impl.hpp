// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/fem/routines.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::bench {

template <class Real, class Executor>
void run(Executor executor, Routine routine, Elements<Real> const& all) {
  auto const over = [&](auto const& kernel) { for_each(executor, std::int64_t{all.count}, kernel); };
  switch (routine) {
    case Routine::by_element:
      return over(GatherByElement<Real>{all});
    case Routine::by_number:
      return over(GatherByNumber<Real>{all});
    case Routine::transform:
      return over(Transform<Real>{all});
    case Routine::stored:
      return over(TensorOfStored<Real>{all});
    case Routine::at_once:
      return over(TensorAtOnce<Real>{all});
    case Routine::closed:
      return over(TensorClosed<Real>{all});
    case Routine::system:
      return over(EdgesBySystem<Real>{all});
    case Routine::polar:
      return over(EdgesByPolar<Real>{all});
  }
}

}  // namespace ulpine::bench
