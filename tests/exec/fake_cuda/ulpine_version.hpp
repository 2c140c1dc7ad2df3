// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A build for the architecture of the fake devices.
namespace ulpine::build {
constexpr char const* cuda_architectures = "90";
}  // namespace ulpine::build
