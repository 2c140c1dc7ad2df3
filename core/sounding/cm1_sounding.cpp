// SPDX-License-Identifier: Apache-2.0
// input_sounding of CM1, WRF and the Klemp-Wilhelmson model.
#include <cmath>

#include "core/sounding/moist_air.hpp"
#include "core/sounding/sounding_text.hpp"
#include "io/case_file.hpp"

namespace ulpine::soundings {
namespace {

constexpr auto level_columns = "height (m), theta (K), qv (g/kg), u, v (m/s)";
/// K: the hottest ground measured, some 350 K, on the highest plateau.
constexpr double most_ground_theta = 450;
constexpr auto ground_columns = "pressure (hPa), theta (K), qv (g/kg) at the ground";

void add_air(Sounding& sounding, Lines const& lines, Line const& line, double theta, double ratio) {
  require_range(lines, line, theta, 150, 5000, "potential temperature", "K");
  require_range(lines, line, ratio, 0, 1000 * most_vapour, "mixing ratio", "g/kg");
  sounding.theta.push_back(theta);
  sounding.humidity.push_back(moist_air::humidity_of_mixing_ratio(ratio / 1000));
}

struct Moistest {
  double ratio;  ///< the greatest mixing ratio of all levels, as the file has it
  Line line;     ///< where it stands
};

/// Refuses mixing ratios that air near the ground has in kg/kg and nowhere on Earth in g/kg.
void require_grams(Lines const& lines, Moistest const& moistest, double theta, double pressure) {
  auto const saturated =
      moist_air::saturation_humidity(theta * moist_air::exner_of_pressure(pressure), pressure);
  auto const share = moistest.ratio / saturated;
  if (share < 0.01 || share > 1.5) return;
  lines.refuse(moistest.line, "has the mixing ratio " + io::number_text(moistest.ratio) +
                                  " g/kg, the greatest of all (air of the ground's temperature holds " +
                                  io::number_text(std::round(1e4 * saturated) / 10) +
                                  "; are these kg/kg?) multiply them by 1000, or write 0 for dry air");
}

std::size_t first_line(Lines const& lines) {
  std::size_t first = 0;
  while (first < lines.size() && words_of(lines[first].text).empty()) ++first;
  return first;
}

}  // namespace

bool is_cm1(Lines const& lines) {
  auto const first = first_line(lines);
  if (first == lines.size()) return false;
  auto const words = words_of(lines[first].text);
  double number = 0;
  return words.size() == 3 && read_number(words[0], number);
}

Sounding read_cm1(Lines const& lines) {
  Sounding sounding;
  sounding.source = lines.source();
  auto const first = first_line(lines);
  auto const& ground_line = lines[first];
  auto const ground = numbers_of(lines, ground_line, 3, ground_columns);
  require_range(lines, ground_line, ground[0], least_ground_pressure / 100, most_ground_pressure / 100,
                "pressure", "hPa");
  sounding.ground_pressure = 100 * ground[0];
  require_range(lines, ground_line, ground[1], 150, most_ground_theta, "potential temperature of the ground",
                "K");
  sounding.height.push_back(0);
  add_air(sounding, lines, ground_line, ground[1], ground[2]);
  std::vector<Level> levels;
  std::vector<double> previous;
  Moistest moistest{ground[2], ground_line};

  for (std::size_t k = first + 1; k < lines.size(); ++k) {
    auto const& line = lines[k];
    if (words_of(line.text).empty()) continue;
    auto const level = numbers_of(lines, line, 5, level_columns);
    if (level == previous) continue;
    auto const at_ground = previous.empty() && level[0] == 0;
    if (!at_ground) require_order(lines, line, sounding.height.back(), level[0], false, "height");
    require_range(lines, line, level[0], 0, 9e4, "height", "m");
    require_range(lines, line, level[3], -200, 200, "wind", "m/s");
    require_range(lines, line, level[4], -200, 200, "wind", "m/s");
    if (at_ground) {
      // The first line then gives the pressure alone, as in WRF.
      sounding.theta.clear();
      sounding.humidity.clear();
    } else {
      sounding.height.push_back(level[0]);
    }
    add_air(sounding, lines, line, level[1], level[2]);
    // The first line has no wind: the lowest level's is that of the ground.
    if (previous.empty() && !at_ground) {
      sounding.u.push_back(level[3]);
      sounding.v.push_back(level[4]);
    }
    sounding.u.push_back(level[3]);
    sounding.v.push_back(level[4]);
    levels.push_back({level[0], level[1], line});
    if (level[2] > moistest.ratio) moistest = {level[2], line};
    previous = level;
  }
  if (sounding.height.size() < 2) {
    lines.refuse("has no levels (lines " + std::string(level_columns) +
                 " are expected after the first) check whether the file is complete");
  }
  require_metres(lines, levels.back().line, sounding.height.back());
  // The ground may be far warmer than air (WRF's own em_les has 5 K), so it counts only where it is all.
  if (levels.size() == 1) levels.insert(levels.begin(), {0, ground[1], ground_line});
  require_potential(lines, levels, "write T (1000 hPa / p)^0.2859 in column 2");
  require_grams(lines, moistest, ground[1], sounding.ground_pressure);
  return sounding;
}

}  // namespace ulpine::soundings
