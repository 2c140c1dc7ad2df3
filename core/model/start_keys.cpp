// SPDX-License-Identifier: Apache-2.0
#include "core/model/start_keys.hpp"

#include <utility>

namespace ulpine {

io::CaseKey start_amplitude(std::string unit, double most, std::string about) {
  return io::quantity_key("start.amplitude", std::move(unit), 2, -most, most, std::move(about));
}

io::CaseKey start_amplitude_of(std::string temperature, std::string about) {
  return io::choice_key("start.amplitude_of",
                        {{"theta", "potential temperature"}, {"temperature", std::move(temperature)}},
                        std::move(about));
}

io::CaseKey start_centre(std::string const& axis, double fallback, double farthest, std::string about) {
  return io::quantity_key("start.centre_" + axis, "m", fallback, -farthest, farthest, std::move(about));
}

io::CaseKey start_radius(std::string const& axis, double fallback, double least, double most,
                         std::string about) {
  return io::quantity_key("start.radius_" + axis, "m", fallback, least, most, std::move(about));
}

}  // namespace ulpine
