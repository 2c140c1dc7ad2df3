// SPDX-License-Identifier: Apache-2.0
#include "precision/host_policies.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/fem/make.hpp"
#include "core/fem/remesh_impl.hpp"

namespace ulpine::fem {

#if defined(ULPINE_HAS_CUDA)
extern template void carry_over<double>(Cuda, Setup const&, Core&, Setup const&, Remeshed&);
extern template void carry_over<float>(Cuda, Setup const&, Core&, Setup const&, Remeshed&);
#endif

namespace {

template <class Executor>
Remeshed remesh_on(Executor executor, std::string const& policy, Assembly assembly, Setup const& from,
                   Core& core, Setup const& onto) {
  Remeshed remeshed;
  remeshed.core = make(executor, policy, assembly, onto, {}, &remeshed.built);
  if (remeshed.core == nullptr) return remeshed;
  using Policies = std::conditional_t<Executor::on_device, DevicePolicies, HostPolicies>;
  with_policy(Policies{}, policy, [&]<class P>() {
    carry_over<typename P::State>(executor, from, core, onto, remeshed);
    return true;
  });
  return remeshed;
}

}  // namespace

Remeshed remesh(Host host, std::string const& policy, Assembly assembly, Setup const& from, Core& core,
                Setup const& onto) {
  return remesh_on(host, policy, assembly, from, core, onto);
}
#if defined(ULPINE_HAS_CUDA)
Remeshed remesh(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& from, Core& core,
                Setup const& onto) {
  return remesh_on(cuda, policy, assembly, from, core, onto);
}
#endif

}  // namespace ulpine::fem
