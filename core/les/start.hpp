// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/random.hpp"
#include "core/exec/rounded.hpp"
#include "core/field/operations.hpp"
#include "core/field/table.hpp"
#include "core/lattice/points.hpp"
#include "core/les/setup.hpp"

namespace ulpine::les {

/// Rounds values to the type of an array of that size.
template <class T, class Executor>
void upload(std::vector<double> const& values, Array<T, Executor>& target) {
  auto const converted = rounded_to<T>(values);
  if (!converted.empty()) target.from_host(converted.data());
}

/// The field that is 1 where a variable's points are in air, else 0.
template <class Executor>
Field const& add_mask(FieldTable& fields, Executor executor, Setup const& setup, char const* name,
                      std::vector<std::string> dimensions, Variable variable) {
  auto const& p = setup.parameters;
  auto& field = fields.add<std::uint8_t>(executor,
                                         {.name = name,
                                          .long_name = "1 in air, 0 in buildings",
                                          .role = FieldRole::constant,
                                          .dimensions = std::move(dimensions),
                                          .output = true,
                                          .flag_meanings = "building air"},
                                         dense_layout(p));
  write_points<std::uint8_t>(field, [&](std::int32_t k, std::int32_t j, std::int32_t i) {
    return k >= setup.lowest(variable, j, i) ? 1 : 0;
  });
  return field;
}

/// The start of a case, SI units, by the indices of the fields in the whole domain.
class Start {
 public:
  explicit Start(Setup const& setup) : p_{setup.parameters}, centres_{p_.centres()}, tops_{p_.tops()} {}

  double u(std::int32_t k, std::int32_t j, std::int32_t i) const {
    if (vortices()) return std::sin(wave() * p_.dx * i) * std::cos(wave() * height(k));
    return p_.geostrophic_u.at(height(k)) + noise(p_.noise_wind, "u", k, j, i);
  }
  double v(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return vortices() ? 0.0 : p_.geostrophic_v.at(height(k)) + noise(p_.noise_wind, "v", k, j, i);
  }
  double w(std::int32_t k, std::int32_t, std::int32_t i) const {
    if (!vortices() || k == p_.nz - 1) return 0;
    return -std::cos(wave() * p_.dx * (i + 0.5)) * std::sin(wave() * tops_[static_cast<std::size_t>(k)]);
  }
  double theta(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return p_.theta.at(height(k), true) + noise(p_.noise_theta, "theta", k, j, i);
  }
  double humidity(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return p_.humidity.at(height(k)) + noise(p_.noise_humidity, "q", k, j, i);
  }
  double energy(std::int32_t k) const { return p_.energy.at(height(k)); }

 private:
  /// Taylor and Green's vortices of wavelength 1 m in the plane (x, z).
  bool vortices() const { return p_.start == "taylor_green"; }
  static constexpr double wave() { return 2 * std::numbers::pi; }
  double height(std::int32_t k) const { return centres_[static_cast<std::size_t>(k)]; }
  double noise(double amplitude, char const* field, std::int32_t k, std::int32_t j, std::int32_t i) const {
    if (amplitude == 0 || height(k) > p_.noise_top) return 0;
    auto const index = (static_cast<std::int64_t>(k) * p_.whole_ny + j) * p_.whole_nx + i;
    return amplitude * uniform_symmetric(p_.noise_seed, 0, name_key(field), index);
  }

  Parameters const& p_;
  std::vector<double> centres_, tops_;
};

/// Writes value(k, j, i), by the indices in the whole domain, to the points of a variable; 0 in buildings.
template <class Value>
void write_start(Setup const& setup, Field const& field, Variable variable, Value const& value) {
  auto const first_x = setup.parameters.first_x, first_y = setup.parameters.first_y;
  write_points(field, [&](std::int32_t k, std::int32_t j, std::int32_t i) {
    return k >= setup.lowest(variable, j, i) ? value(k, first_y + j, first_x + i) : 0.0;
  });
}

}  // namespace ulpine::les
