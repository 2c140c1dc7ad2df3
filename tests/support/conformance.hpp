// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ensembles/reproducibility/conformance.hpp"
#include "support/temporary_folder.hpp"
#if defined(ULPINE_GPU_TESTS)
#include "support/device_test.hpp"
#endif

namespace ulpine::test {

/// Every check of the conformance suite holds for the case.
inline void expect_conformance(std::string const& text, std::string const& policy, Assembly assembly,
                               std::vector<ModelOptions> places,
                               std::int64_t steps = ensembles::ConformanceRequest{}.steps) {
  TemporaryFolder const folder;
  ensembles::ConformanceRequest request;
  request.source = {folder.write("case.toml", text)};
  request.folder = folder / "files";
  request.steps = steps;
  for (auto& place : places) {
    place.policy = policy;
    place.assembly = assembly;
    request.configurations.push_back(place);
  }
  for (auto const& check : ensembles::check_conformance(request)) {
    EXPECT_EQ(check.broken, "") << check.name << " in " << policy << ' ' << name_of(assembly);
  }
}

/// Of programs that are built twice: on a GPU too where ULPINE_GPU_TESTS is defined.
#if defined(ULPINE_GPU_TESTS)
using PlacesTest = DeviceTest;
inline std::vector<ModelOptions> places() {
  ModelOptions host, device, smaller;
  host.threads = 2;
  device.device = smaller.device = "cuda";
  smaller.block = 64;
  return {host, device, smaller};
}
#else
using PlacesTest = testing::Test;
inline std::vector<ModelOptions> places() {
  ModelOptions one, three;
  three.threads = 3;
  return {one, three};
}
#endif

}  // namespace ulpine::test
