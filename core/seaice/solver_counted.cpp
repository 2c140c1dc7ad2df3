// SPDX-License-Identifier: Apache-2.0
#include "core/exec/counting_host.hpp"
#include "core/exec/reduce_counted.hpp"
#include "core/model/modules.hpp"
#include "core/seaice/halos_impl.hpp"
#include "core/seaice/make_parts.hpp"

namespace ulpine::seaice {

template class HaloRound<CountingHost>;

/// Built on demand, so that it may take its time.
template <>
inline constexpr bool in_every_space<CountedPolicy> = true;

namespace {

std::unique_ptr<Solver> make_counted(CountingHost host, Setup const& setup) {
  using Policies = PolicyList<CountedPolicy>;
  std::unique_ptr<Solver> made;
  auto const try_one = [&]<template <class> class On>() {
    if (!made)
      made = make_on<On, Policies>(AllSpaces{}, host, CountedPolicy::name, Assembly::deterministic, setup);
  };
  try_one.template operator()<OnPlane>();
  try_one.template operator()<OnSphere>();
  return made;
}

}  // namespace

extern "C" {
extern Instance const ulpine_seaice_counted[];
Instance const ulpine_seaice_counted[] = {instance<CountedMaker>("make", make_counted), {}};
}

}  // namespace ulpine::seaice
