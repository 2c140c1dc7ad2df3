// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/profile.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ulpine {
namespace {

template <class T>
class SoundingProfile final : public Profile<T> {
 public:
  explicit SoundingProfile(Sounding sounding) : levels_(std::move(sounding)) {}

  T theta(T height) const override { return between(levels_.theta, height); }
  T humidity(T height, T) const override { return between(levels_.humidity, height); }
  typename Profile<T>::Wind wind(T height) const override {
    return {between(levels_.u, height), between(levels_.v, height)};
  }
  T ground() const override { return T(levels_.height.front()); }
  T ground_pressure() const override { return T(levels_.ground_pressure); }
  T top() const override { return T(levels_.height.back()); }
  std::string name() const override { return levels_.source; }

 private:
  T between(std::vector<double> const& values, T height) const {
    auto const& heights = levels_.height;
    auto const above = std::upper_bound(heights.begin(), heights.end(), height);
    auto const k = static_cast<std::size_t>(std::distance(heights.begin(), above));
    if (k == 0) return T(values.front());
    if (k == heights.size()) return T(values.back());
    auto const share = (height - T(heights[k - 1])) / (T(heights[k]) - T(heights[k - 1]));
    return T(values[k - 1]) + share * (T(values[k]) - T(values[k - 1]));
  }

  Sounding levels_;
};

}  // namespace

template <moist_air::HostReal T>
std::unique_ptr<Profile<T> const> make_profile(Sounding const& sounding) {
  return std::make_unique<SoundingProfile<T>>(sounding);
}

template std::unique_ptr<Profile<double> const> make_profile(Sounding const&);
template std::unique_ptr<Profile<long double> const> make_profile(Sounding const&);

}  // namespace ulpine
