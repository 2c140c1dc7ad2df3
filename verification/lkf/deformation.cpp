// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/deformation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "io/error.hpp"
#include "io/text.hpp"

namespace ulpine::lkf {

Deformation deformation(std::span<double const> u, std::span<double const> v, std::span<double const> dx,
                        std::span<double const> dy, std::int64_t rows, std::int64_t columns) {
  constexpr double seconds_per_day = 86400;
  if (rows < 3 || columns < 3) {
    throw InputError{"the velocity field is too small for central differences (" + std::to_string(rows) +
                     " x " + std::to_string(columns) + ", needs 3 x 3)"};
  }
  auto const size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (u.size() != size || v.size() != size || dx.size() != size || dy.size() != size) {
    throw InputError{"velocities and spacings differ in size (each needs " + std::to_string(size) +
                     " values)"};
  }
  Deformation result{rows - 2, columns - 2, {}, {}, {}, {}};
  for (std::int64_t i = 1; i < rows - 1; ++i) {
    for (std::int64_t j = 1; j < columns - 1; ++j) {
      auto const p = i * columns + j;
      auto const x_span = dx[p - columns] + dx[p];
      auto const y_span = dy[p - 1] + dy[p];
      auto const u_x = (u[p + columns] - u[p - columns]) / x_span;
      auto const v_x = (v[p + columns] - v[p - columns]) / x_span;
      auto const u_y = (u[p + 1] - u[p - 1]) / y_span;
      auto const v_y = (v[p + 1] - v[p - 1]) / y_span;
      auto const divergence = (u_x + v_y) * seconds_per_day;
      auto const stretching = u_x - v_y;
      auto const shearing = u_y + v_x;
      auto const shear = std::sqrt(stretching * stretching + shearing * shearing) * seconds_per_day;
      result.divergence.push_back(divergence);
      result.shear.push_back(shear);
      result.vorticity.push_back((u_y - v_x) / 2 * seconds_per_day);
      result.total.push_back(std::sqrt(divergence * divergence + shear * shear));
    }
  }
  return result;
}

std::optional<double> to_per_day(std::string const& units) {
  static std::set<std::string> const seconds = {"s", "sec", "secs", "second", "seconds"},
                                     days = {"d", "day", "days"};
  // [number] [% or percent] and then 1/unit, as /unit, per unit or unit-1.
  std::string_view rest = units;
  auto const skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  auto const take = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    skip_blanks();
    return true;
  };
  skip_blanks();
  double scale = 1;
  auto const [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), scale);
  if (failed == std::errc{}) {
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    skip_blanks();
  }
  if (take("%") || take("percent")) scale /= 100;
  auto const divided = take("/") || take("per ");
  auto const letters =
      std::find_if(rest.begin(), rest.end(),
                   [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'); }) -
      rest.begin();
  std::string unit(rest.substr(0, static_cast<std::size_t>(letters)));
  if (unit.size() > 1) unit = io::lower_case(unit);  // S is siemens
  rest.remove_prefix(static_cast<std::size_t>(letters));
  skip_blanks();
  auto const inverse = !divided && [&] {
    return take("-1") || take("^-1") || take("**-1") || take("^{-1}") || take("^(-1)") || take("**(-1)") ||
           take("⁻¹");
  }();
  auto const factor = scale * (seconds.contains(unit) ? 86400 : days.contains(unit) ? 1 : 0);
  if (!(divided || inverse) || !rest.empty() || !(factor > 0) || !std::isfinite(factor)) return std::nullopt;
  return factor;
}

void mask_open_water(std::span<double> field, std::span<double const> concentration) {
  if (field.size() != concentration.size()) {
    throw InputError{"deformation and concentration differ in size (" + std::to_string(field.size()) +
                     " against " + std::to_string(concentration.size()) + " values)"};
  }
  for (std::size_t p = 0; p < field.size(); ++p) {
    if (!(concentration[p] > 0 && concentration[p] <= 1)) field[p] = std::numeric_limits<double>::quiet_NaN();
  }
}

bool inside_arctic_domain(double latitude, double longitude) {
  return latitude >= (longitude > -120 && longitude < 100 ? 80 : 70);
}

}  // namespace ulpine::lkf
