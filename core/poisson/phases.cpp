// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/phases.hpp"

#include "core/exec/host.hpp"
#include "core/poisson/phases_impl.hpp"
#include "io/error.hpp"
#include "ulpine_instances.hpp"

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
#define ULPINE_INSTANTIATE(T, Format)                                                                 \
  template std::unique_ptr<PoissonPhases<T>> make_poisson_phases<T, Format>(Host, PoissonGrid const&, \
                                                                            PoissonMethod);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

template std::unique_ptr<PoissonPhases<double>> make_poisson_phases<double, Exact>(
    Host, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Host>>);
template std::unique_ptr<PoissonPhases<float>> make_poisson_phases<float, Exact>(Host, PoissonGrid const&,
                                                                                 PoissonMethod,
                                                                                 PoissonShare const&,
                                                                                 std::shared_ptr<Link<Host>>);
#define ULPINE_INSTANTIATE(T, Format)                                        \
  template std::unique_ptr<PoissonPhases<T>> make_poisson_phases<T, Format>( \
      Host, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Host>>);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

}  // namespace ulpine
