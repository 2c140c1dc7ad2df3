// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/exec/executor.hpp"
#include "core/les/setup.hpp"
#include "core/model/core.hpp"

namespace ulpine {
struct EmulatingHost;
}

namespace ulpine::les {

/// The core in the policy of that name; null where the executor has none of it. `deterministic` takes the
/// portable Fourier transform, `atomic` the vendor's.
std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup);
std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup);

/// In emulated formats (core/model/emulated.hpp).
std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup);

/// The reference, in binary128.
std::unique_ptr<Core> make_quad(Host host, Setup const& setup);

}  // namespace ulpine::les
