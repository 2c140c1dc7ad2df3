// SPDX-License-Identifier: Apache-2.0
#include "verification/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
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
  if (options.log10_floor) {
    values = verification::log10_floored(values, *options.log10_floor);
    name = "log10(" + name + ")";
  }
  auto const spacing = file.spacing(options.variable);
  auto const step = spacing > 0 ? spacing : 1;
  auto result =
      verification::radial_spectrum(values, field.info.shape[0], field.info.shape[1], step, step, variant);
  auto const units = spacing > 0 ? "cycles per m" : "cycles per cell";
  if (std::ranges::any_of(result.power, [](double power) { return !std::isfinite(power); })) {
    result.notes.push_back("the power is beyond the range of double where it is not finite (null in JSON)");
  }
  if (options.json) {
    print_json(options.common, {{"field", name},
                                {"variant", options.variant},
                                {"units", units},
                                {"wavenumber", result.wavenumber},
                                {"power", result.power},
                                {"modes", result.modes},
                                {"notes", result.notes}});
    return exit_code::done;
  }
  for (auto const& note : result.notes) {
    print(options.common, "# " + note + "\n");
  }
  print(options.common,
        fmt::format("# {} of {}\n# {:>14} {:>14} {:>8}\n", options.variant, name, units, "power", "modes"));
  for (std::size_t i = 0; i < result.power.size(); ++i) {
    print(options.common,
          fmt::format("{:>16.6g} {:>14.6g} {:>8}\n", result.wavenumber[i], result.power[i], result.modes[i]));
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
