// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/phases.hpp"

#include "core/poisson/phases_impl.hpp"
#include "io/error.hpp"

namespace ulpine {

char const* name_of(PoissonMethod method) {
  return method == PoissonMethod::portable ? "portable" : "vendor";
}

std::vector<PoissonMethod> poisson_methods() { return {PoissonMethod::portable, PoissonMethod::vendor}; }

PoissonMethod poisson_method(std::string const& name) {
  std::vector<std::string> known;
  for (auto const method : poisson_methods()) {
    if (name == name_of(method)) return method;
    known.emplace_back(name_of(method));
  }
  throw InputError("unknown method '" + name + "'" + choices_hint(name, known));
}

template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(Host, PoissonGrid const&,
                                                                                   PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Host, PoissonGrid const&,
                                                                                 PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Tf32>(Host, PoissonGrid const&,
                                                                                PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Bfloat16>(Host, PoissonGrid const&,
                                                                                    PoissonMethod);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Binary16>(Host, PoissonGrid const&,
                                                                                    PoissonMethod);

}  // namespace ulpine
