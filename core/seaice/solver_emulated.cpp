// SPDX-License-Identifier: Apache-2.0
#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/model/modules.hpp"
#include "core/seaice/make_parts.hpp"

namespace ulpine::seaice {

/// A format that is chosen when the program runs costs one instantiation a space, whatever the format.
template <>
inline constexpr bool in_every_space<EmulatedPolicy> = true;

namespace {

std::unique_ptr<Solver> make_emulated(EmulatingHost host, Setup const& setup) {
  using Policies = PolicyList<EmulatedPolicy>;
  std::unique_ptr<Solver> made;
  auto const try_one = [&]<template <class> class On>() {
    if (!made)
      made = make_on<On, Policies>(AllSpaces{}, host, EmulatedPolicy::name, Assembly::deterministic, setup);
  };
  try_one.template operator()<OnPlane>();
  try_one.template operator()<OnSphere>();
  return made;
}

}  // namespace

extern "C" {
extern Instance const ulpine_seaice_emulated[];
Instance const ulpine_seaice_emulated[] = {instance<EmulatedMaker>("make", make_emulated), {}};
}

}  // namespace ulpine::seaice
