// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/base_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

template <class T>
constexpr T spacing = 10;  ///< of the fine integration, m

[[noreturn]] void refuse_height(std::string const& name, double end, double needed, char const* why) {
  throw InputError(name + ": ends at " + io::number_text(end) + " m (" + why + "; levels up to " +
                   io::number_text(needed) + " m are asked for) lower the lid or give a higher profile");
}

}  // namespace

template <moist_air::HostReal T>
T virtual_theta(Profile<T> const& profile, T height, T exner) {
  return moist_air::virtual_temperature(profile.theta(height), profile.humidity(height, exner));
}

template <moist_air::HostReal T>
HydrostaticBase<T>::HydrostaticBase(std::shared_ptr<Profile<T> const> profile, T highest_start,
                                    T deepest_start, DryAir<T> const& air)
    : profile_(std::move(profile)),
      air_{air},
      above_{moist_air::pow(profile_->ground_pressure() / air.standard_pressure,
                            air.gas_constant / air.heat_capacity)},
      below_{above_} {
  auto const store = [this](std::vector<T>& stored, T end, T step) {
    while (T(stored.size()) * spacing<T> <= end && stored.back() > 0) {
      auto const height = profile_->ground() + T(stored.size() - 1) * step;
      stored.push_back(step_up(height, stored.back(), step));
    }
  };
  store(above_, std::min(highest_start, profile_->top() - profile_->ground()), spacing<T>);
  store(below_, deepest_start, -spacing<T>);
}

template <moist_air::HostReal T>
T HydrostaticBase<T>::rate(T height, T exner) const {
  return -air_.gravity / (air_.heat_capacity * virtual_theta(*profile_, height, exner));
}

template <moist_air::HostReal T>
T HydrostaticBase<T>::step_up(T height, T exner, T rise) const {
  auto const middle = height + rise / 2;
  auto const first = rate(height, exner);
  auto const second = rate(middle, exner + rise / 2 * first);
  auto const third = rate(middle, exner + rise / 2 * second);
  auto const fourth = rate(height + rise, exner + rise * third);
  return exner + rise / 6 * (first + 2 * (second + third) + fourth);
}

template <moist_air::HostReal T>
T HydrostaticBase<T>::exner(T height) const {
  // Always over the same places, stored or not, so that the bits do not depend on how many are stored.
  auto const over = height - profile_->ground();
  auto const whole = std::trunc(over / spacing<T>);
  auto const direction = whole < 0 ? T(-1) : T(1);
  auto const& stored = whole < 0 ? below_ : above_;
  auto const number = std::min(std::abs(whole), T(stored.size() - 1));
  auto exner = stored[static_cast<std::size_t>(number)];
  for (auto at = direction * number; at != whole && exner > 0; at += direction) {
    exner = step_up(profile_->ground() + at * spacing<T>, exner, direction * spacing<T>);
  }
  auto const base = profile_->ground() + whole * spacing<T>;
  if (height != base && exner > 0) exner = step_up(base, exner, height - base);
  return exner;
}

template <moist_air::HostReal T>
BaseColumn<T> HydrostaticBase<T>::column(std::vector<T> const& heights) const {
  constexpr int most_repetitions = 50;
  auto const& profile = *profile_;
  BaseColumn<T> column;
  if (heights.empty()) return column;
  if (heights.back() > profile.top()) {
    refuse_height(profile.name(), static_cast<double>(profile.top()), static_cast<double>(heights.back()),
                  "no values above");
  }
  for (std::size_t k = 0; k < heights.size(); ++k) {
    auto const height = heights[k];
    T exner, humidity, virtual_theta;
    auto const theta = profile.theta(height);
    auto const moisten = [&] {
      humidity = profile.humidity(height, exner);
      virtual_theta = moist_air::virtual_temperature(theta, humidity);
    };
    if (k == 0) {
      exner = this->exner(height);
      moisten();
    } else {
      // Where humidity is relative, it and exner depend on each other: repeated until nothing changes. Each
      // repetition shrinks what is left at least a hundredfold for levels less than a kilometre apart.
      exner = column.exner.back();
      for (int repetition = 0; repetition < most_repetitions; ++repetition) {
        moisten();
        auto const rise = air_.gravity * (height - heights[k - 1]);
        auto const mean = (column.virtual_theta.back() + virtual_theta) / 2;
        auto const next = column.exner.back() - rise / (air_.heat_capacity * mean);
        auto const settled = next == exner;
        exner = next;
        if (settled || !(exner > 0)) break;
      }
    }
    if (!(exner > 0)) {
      refuse_height(profile.name(), static_cast<double>(k == 0 ? height : heights[k - 1]),
                    static_cast<double>(heights.back()), "the weight of the air is used up");
    }
    column.theta.push_back(theta);
    column.humidity.push_back(humidity);
    column.virtual_theta.push_back(virtual_theta);
    column.exner.push_back(exner);
    column.pressure.push_back(air_.standard_pressure *
                              moist_air::pow(exner, air_.heat_capacity / air_.gas_constant));
    column.density.push_back(column.pressure.back() / (air_.gas_constant * virtual_theta * exner));
    auto const wind = profile.wind(height);
    column.u.push_back(wind.u);
    column.v.push_back(wind.v);
  }
  return column;
}

template double virtual_theta(Profile<double> const&, double, double);
template long double virtual_theta(Profile<long double> const&, long double, long double);
template class HydrostaticBase<double>;
template class HydrostaticBase<long double>;

}  // namespace ulpine
