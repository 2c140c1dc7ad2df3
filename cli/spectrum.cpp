// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/earlier_parts.hpp"
#include "cli/planes.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/comparison/grid_spacing.hpp"

namespace ulpine::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_planes = 20'000;  // more is a damaged header, and would take minutes

/// The spectrum of a variable at one time: the mean over its planes.
struct Answer {
  std::string name, units;
  std::int64_t time = 0;
  std::int64_t planes = 0;
  verification::Spectrum spectrum;
  std::optional<std::int64_t> floored;
  std::vector<std::string> notes;

  void note(std::string const& text) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
  }
};

void add_to(verification::Spectrum& sum, verification::Spectrum const& part) {
  if (sum.power.empty()) {
    sum = part;
    return;
  }
  std::ranges::transform(sum.power, part.power, sum.power.begin(), std::plus<>{});
  sum.outside_power += part.outside_power;
}

Answer spectrum_of(io::InputFile const& file, std::string const& variable, std::int64_t time,
                   SpectrumOptions const& options) {
  auto const where = options.file.string() + ": " + variable;
  auto const planes =
      verification::planes_of(file, variable, plane_choice(options.planes), where, "a spectrum wants");
  if (planes.count > most_planes) {
    throw InputError(fmt::format("{} has {} planes, {} (a mean is over {} at most) choose by --level or --at",
                                 where, planes.count, planes.along, most_planes));
  }
  auto const grid = verification::grid_spacing(file, variable, planes.rows, planes.columns);
  Answer answer{variable, grid.known() ? "cycles per m" : "cycles per cell", time, 0, {}, {}, grid.notes};
  std::int64_t floored = 0, seen = 0;
  for (std::int64_t i = 0; i < planes.count; ++i) {
    auto values = file.read(variable, time, planes.box(i));
    auto const empty = std::ranges::all_of(values, [](double value) { return std::isnan(value); });
    if (empty) continue;
    if (options.log10_floor) {
      floored += verification::count_floored(values, *options.log10_floor);
      seen += static_cast<std::int64_t>(values.size());
      values = verification::log10_floored(values, *options.log10_floor);
    }
    auto const part = verification::radial_spectrum(
        values, planes.row_count, planes.column_count, grid.known() ? grid.rows : 1,
        grid.known() ? grid.columns : 1, verification::spectrum_variant(options.variant));
    add_to(answer.spectrum, part);
    ++answer.planes;
    for (auto const& note : part.notes) answer.note(note);
  }
  if (answer.planes == 0) {
    throw InputError(where + " has no values (all are missing) choose another variable or --time");
  }
  auto const count = static_cast<double>(answer.planes);
  for (auto& power : answer.spectrum.power) power /= count;
  answer.spectrum.outside_power /= count;
  if (planes.count > 1) {
    answer.note(
        fmt::format("the mean of {} spectra, over {} (--level or --at choose)", answer.planes, planes.along));
  }
  if (answer.planes < planes.count) {
    answer.note(fmt::format("{} planes without values were left out", planes.count - answer.planes));
  }
  if (options.log10_floor) {
    answer.name = "log10(" + variable + ")";
    answer.floored = floored;
    answer.note(fmt::format("{} of {} values are below {:g} and were raised to it", floored, seen,
                            *options.log10_floor));
  }
  auto const overflowed = [](double power) { return !std::isfinite(power); };
  if (std::ranges::any_of(answer.spectrum.power, overflowed) || overflowed(answer.spectrum.outside_power)) {
    answer.note(
        "the power is beyond the range of double, or a value on the way to it, where it is not finite (null "
        "in JSON)");
  }
  return answer;
}

Json to_json(Answer const& answer, std::string const& variant) {
  auto const& result = answer.spectrum;
  return {{"field", answer.name},
          {"variant", variant},
          {"units", answer.units},
          {"planes", answer.planes},
          {"floored", answer.floored ? Json(*answer.floored) : Json()},
          {"wavenumber", result.wavenumber},
          {"power", result.power},
          {"modes", result.modes},
          {"outside", {{"power", result.outside_power}, {"modes", result.outside_modes}}},
          {"notes", answer.notes}};
}

std::string to_text(Answer const& answer, std::string const& title) {
  auto const& result = answer.spectrum;
  std::string text;
  for (auto const& note : answer.notes) text += "# " + note + "\n";
  text += fmt::format("# {}\n# {:>14} {:>14} {:>8}\n", title, answer.units, "power", "modes");
  for (std::size_t i = 0; i < result.power.size(); ++i) {
    text +=
        fmt::format("{:>16.6g} {:>14.6g} {:>8}\n", result.wavenumber[i], result.power[i], result.modes[i]);
  }
  return text +
         fmt::format("# {:>14} {:>14.6g} {:>8}\n", "in no ring", result.outside_power, result.outside_modes);
}

}  // namespace

int spectrum(SpectrumOptions const& options) {
  verification::spectrum_variant(options.variant);  // refused before the file is read
  io::InputFile const file(options.file);
  tell_of_earlier_parts({options.file});
  auto const several = options.variables.size() > 1 || options.all_times;
  auto spectra = Json::array();
  for (auto const& variable : options.variables) {
    auto const times = file.time_axis(variable).stored;
    std::vector<std::int64_t> indices = {options.time};
    if (options.all_times && !times.empty()) {
      indices.resize(times.size());
      for (std::size_t i = 0; i < times.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
    }
    for (auto const index : indices) {
      auto const answer = spectrum_of(file, variable, index, options);
      if (options.json) {
        spectra.push_back(to_json(answer, options.variant));
        if (several && !times.empty()) {
          spectra.back()["time_index"] = index < 0 ? static_cast<std::int64_t>(times.size()) + index : index;
        }
        continue;
      }
      auto const at_time = options.all_times && !times.empty() ? fmt::format(" at time {}", index) : "";
      print(options.common,
            to_text(answer, fmt::format("{} of {}{}", options.variant, answer.name, at_time)));
    }
  }
  if (options.json) print_json(options.common, several ? Json{{"spectra", spectra}} : spectra.front());
  return exit_code::done;
}

}  // namespace ulpine::cli
