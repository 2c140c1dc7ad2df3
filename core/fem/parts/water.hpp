// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/physics/ranges.hpp"

namespace ulpine::fem {

/// Vapour, cloud and rain, which the wind carries.
template <class D>
class Water final : public Part {
  using T = typename D::T;

 public:
  static std::vector<io::CaseKey> keys() {
    auto const at_centre = [](char const* name, std::string const& of) {
      return io::quantity_key(name, "kg kg-1", 0, 0, 1, "mixing ratio of " + of)
          .needing("water.carried = true and start.kind other than \"rest\"");
    };
    return {io::flag_key("water.carried", false, "vapour, cloud and rain are carried by the wind")
                .follows("air.humid"),
            at_centre("water.vapour", "vapour at the bubble's centre, beside that of the base state"),
            at_centre("water.cloud", "cloud at the bubble's centre"),
            at_centre("water.rain", "rain at the bubble's centre")};
  }
  static bool needed(Parameters const& p) { return p.water; }

  explicit Water(D& d) : d_{d} {
    add("vapour", "water vapour per mass of dry air",
        d.p.humid ? d.at_node("vapour_reference", "1") : d.zero);
    add("cloud", "cloud water per mass of dry air", d.zero);
    add("rain", "rain water per mass of dry air", d.zero);
  }

  void start() override {
    if (d_.p.humid) D::write(*d_.vapour_reference, d_.setup->humidity);
    D::write(*d_.vapour, d_.setup->vapour);
    D::write(*d_.cloud, d_.setup->cloud);
    D::write(*d_.rain, d_.setup->rain);
  }

  void begin() override {
    for (std::size_t n = 1; n < d_.scalars.size(); ++n) {
      auto& of = d_.scalars[n];
      d_.run(d_.old_level, Copied<T>{in(of.now), out(of.old)}, {&of.old});
    }
  }

 private:
  void add(std::string const& name, char const* long_name, typename D::Values& reference) {
    auto& now = d_.node(name, "1", long_name, FieldRole::prognostic, physics::water_range, "", true);
    d_.scalars.push_back({now, d_.values("old_" + name, "1"), reference});
  }

  D& d_;
};

}  // namespace ulpine::fem
