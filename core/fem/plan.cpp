// SPDX-License-Identifier: Apache-2.0
#include "core/fem/plan.hpp"

#include <stdexcept>
#include <string>

#include "core/exec/host.hpp"
#include "core/fem/plan_impl.hpp"
#include "io/error.hpp"

namespace ulpine::fem {

char const* name_of(Way way) {
  char const* const names[] = {"atomic", "rows", "elements", "patches", "visits"};
  return names[static_cast<int>(way)];
}

void refuse_contributions() {
  throw InputError("a mesh has 2^27 elements or more (their contributions pass 32 bits) assemble by rows");
}
void refuse_places(std::int32_t rows, std::int32_t places) {
  throw InputError("a patch of " + std::to_string(rows) + " rows needs " + std::to_string(places) +
                   " places (16384 can be named) use fewer rows a patch");
}

void refuse_elements_on_device() {
  throw std::logic_error("assembly element by element is the host's alone");
}
void refuse_way_of_rounded() {
  throw std::logic_error("a device's way of assembly that no model takes, with operands rounded");
}
void refuse_patch(std::int64_t bytes, int most) {
  throw InputError("a patch needs " + std::to_string(bytes) + " bytes of shared memory (the device has " +
                   std::to_string(most) + ") use fewer rows a patch");
}

template class Plan<Host>;

}  // namespace ulpine::fem
