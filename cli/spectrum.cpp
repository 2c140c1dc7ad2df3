// SPDX-License-Identifier: Apache-2.0
#include "verification/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/grid.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::cli {

int spectrum(SpectrumOptions const& options) {
  auto const variant = verification::spectrum_variant(options.variant);
  io::InputFile const file(options.file);
  auto const field = file.read(options.variable, options.time);
  if (field.info.shape.size() != 2) {
    throw InputError(
        fmt::format("{}: {} has {} dimensions besides time (a spectrum wants two) choose another variable",
                    options.file.string(), options.variable, field.info.shape.size()));
  }
  auto values = field.values;
  auto name = options.variable;
  auto const grid = grid_spacing(file, field.info);
  auto notes = grid.notes;
  nlohmann::ordered_json floored;
  if (options.log10_floor) {
    floored = verification::count_floored(values, *options.log10_floor);
    notes.push_back(fmt::format("{} of {} values are below {:g} and were raised to it",
                                floored.get<std::int64_t>(), values.size(), *options.log10_floor));
    values = verification::log10_floored(values, *options.log10_floor);
    name = "log10(" + name + ")";
  }
  auto const result =
      verification::radial_spectrum(values, field.info.shape[0], field.info.shape[1],
                                    grid.known() ? grid.rows : 1, grid.known() ? grid.columns : 1, variant);
  auto const units = grid.known() ? "cycles per m" : "cycles per cell";
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  auto const overflowed = [](double power) { return !std::isfinite(power); };
  if (std::ranges::any_of(result.power, overflowed) || overflowed(result.outside_power)) {
    notes.push_back(
        "the power is beyond the range of double, or a value on the way to it, where it is not finite (null "
        "in JSON)");
  }
  if (options.json) {
    print_json(options.common,
               {{"field", name},
                {"variant", options.variant},
                {"units", units},
                {"floored", floored},
                {"wavenumber", result.wavenumber},
                {"power", result.power},
                {"modes", result.modes},
                {"outside", {{"power", result.outside_power}, {"modes", result.outside_modes}}},
                {"notes", notes}});
    return exit_code::done;
  }
  for (auto const& note : notes) {
    print(options.common, "# " + note + "\n");
  }
  print(options.common,
        fmt::format("# {} of {}\n# {:>14} {:>14} {:>8}\n", options.variant, name, units, "power", "modes"));
  for (std::size_t i = 0; i < result.power.size(); ++i) {
    print(options.common,
          fmt::format("{:>16.6g} {:>14.6g} {:>8}\n", result.wavenumber[i], result.power[i], result.modes[i]));
  }
  print(options.common,
        fmt::format("# {:>14} {:>14.6g} {:>8}\n", "in no ring", result.outside_power, result.outside_modes));
  return exit_code::done;
}

}  // namespace ulpine::cli
