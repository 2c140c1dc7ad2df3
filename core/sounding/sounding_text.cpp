// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/sounding_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <system_error>

#include "core/sounding/moist_air.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::soundings {

Lines::Lines(std::string_view text, std::string const& source) : source_(source) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto const end = text.find_first_of("\r\n");
    lines_.push_back({text.substr(0, end), number});
    if (end == std::string_view::npos) break;
    text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
}

void Lines::refuse(Line const& line, std::string const& problem) const {
  throw InputError(source_ + ": line " + std::to_string(line.number) + " " + problem);
}

void Lines::refuse(std::string const& problem) const { throw InputError(source_ + ": " + problem); }

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view gaps = " \t,", comment = "#!";
  line = line.substr(0, line.find_first_of(comment));
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(gaps); begin != std::string_view::npos;) {
    auto const end = line.find_first_of(gaps, begin);
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(gaps, end);
  }
  return words;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  return "'" + one_line(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
}

bool read_number(std::string_view word, double& value) {
  std::string text(word.starts_with('+') ? word.substr(1) : word);
  auto const exponent = text.find_first_of("dD");
  if (exponent != std::string::npos) text[exponent] = 'e';
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() && std::isfinite(value) &&
         !word.starts_with("+-");
}

std::vector<double> numbers_of(Lines const& lines, Line const& line, std::size_t count, char const* what) {
  auto const words = words_of(line.text);
  if (words.size() != count) {
    lines.refuse(line, "has " + std::to_string(words.size()) + " columns (" + std::to_string(count) +
                           " are expected: " + what + ") mend the line");
  }
  std::vector<double> numbers(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (!read_number(words[k], numbers[k])) {
      lines.refuse(line, "has " + quoted(words[k]) + " (a number is expected: " + what + ") mend the line");
    }
  }
  return numbers;
}

void require_range(Lines const& lines, Line const& line, double value, double least, double most,
                   char const* what, char const* unit) {
  if (value >= least && value <= most) return;
  lines.refuse(line, std::string("has the ") + what + " " + io::number_text(value) + " (" +
                         io::number_text(least) + " to " + io::number_text(most) + " " + unit +
                         " is possible) check the value and its unit");
}

void require_lowest_pressure(Lines const& lines, Line const& line, double pressure, double unit) {
  auto const possible = [](double pascal) {
    return pascal >= least_ground_pressure && pascal <= most_ground_pressure;
  };
  if (possible(pressure)) return;
  constexpr struct {
    char const* name;
    double pascal;
  } larger[] = {{"hPa", 100}, {"kPa", 1000}};
  std::string question, remedy = "add the levels below it, or name another file";
  for (auto const& [name, pascal] : larger) {
    if (!possible(pressure / unit * pascal)) continue;
    question = std::string("; are these ") + name + "?";
    remedy = "multiply the pressures by " + io::number_text(pascal / unit);
  }
  lines.refuse(line, "has the pressure " + io::number_text(pressure) + " Pa at the lowest level (" +
                         io::number_text(least_ground_pressure) + " to " +
                         io::number_text(most_ground_pressure) + " Pa is possible" + question + ") " +
                         remedy);
}

void require_vapour(Lines const& lines, Line const& line, double humidity, char const* what,
                    double pressure) {
  if (humidity <= most_vapour) return;
  lines.refuse(line, std::string("has a ") + what + " that makes the specific humidity " +
                         io::number_text(humidity) + " at " + io::number_text(pressure) + " Pa (at most " +
                         io::number_text(most_vapour) +
                         " kg/kg is possible) check the units of humidity, temperature and pressure");
}

void require_dew_point(Lines const& lines, Line const& line, double dew_point, double temperature,
                       double tolerance) {
  if (dew_point <= temperature + tolerance) return;
  lines.refuse(line, "has the dew point " + io::number_text(dew_point) + " above the temperature (" +
                         io::number_text(temperature) + ") mend the line");
}

void require_order(Lines const& lines, Line const& line, double previous, double value, bool falling,
                   char const* what) {
  if (falling ? value < previous : value > previous) return;
  lines.refuse(line, std::string("has the ") + what + " " + io::number_text(value) + " after " +
                         io::number_text(previous) + " (it must " + (falling ? "fall" : "rise") +
                         " from line to line) sort the levels or leave one out");
}

void require_metres(Lines const& lines, Line const& line, double highest) {
  constexpr double highest_in_kilometres = 90;
  if (highest >= highest_in_kilometres) return;
  lines.refuse(line, "has the height " + io::number_text(highest) +
                         " m, the highest of all (heights are in m; are these km?) multiply them by 1000, or "
                         "take a higher sounding");
}

void require_potential(Lines const& lines, std::span<Level const> levels, char const* remedy) {
  constexpr double depth = 500, fall = 3;
  double warmest = 0;
  std::size_t below = 0;
  for (auto const& level : levels) {
    for (; levels[below].height <= level.height - depth; ++below) {
      warmest = std::max(warmest, levels[below].theta);
    }
    if (level.theta >= warmest - fall) continue;
    lines.refuse(level.line, "has the potential temperature " + io::number_text(level.theta) +
                                 " K, below the " + io::number_text(warmest) + " K of air at least " +
                                 io::number_text(depth) +
                                 " m deeper (it would turn over at once; is this temperature in place of "
                                 "potential temperature?) " +
                                 remedy);
  }
}

Wind wind_from(double direction, double speed) {
  auto const angle = direction * (std::numbers::pi / 180);
  return {-speed * math::sin(angle), -speed * math::cos(angle)};
}

double thickness(double lower_pressure, double lower_temperature, double upper_pressure,
                 double upper_temperature) {
  return physics::arps::dry_gas_constant<double>() / physics::arps::gravity<double>() *
         (0.5 * (lower_temperature + upper_temperature)) * math::log(lower_pressure / upper_pressure);
}

}  // namespace ulpine::soundings
