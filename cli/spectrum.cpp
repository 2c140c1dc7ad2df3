// SPDX-License-Identifier: Apache-2.0
#include "verification/files/spectrum_of_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/planes.hpp"
#include "cli/told_parts.hpp"
#include "io/netcdf.hpp"

namespace ulpine::cli {
namespace {

std::string to_text(verification::FileSpectrum const& answer, std::string const& title) {
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

/// A row for each ring.
void print_csv(SpectrumOptions const& options, std::vector<verification::FileSpectrum> const& spectra) {
  auto rows = nlohmann::ordered_json::array();
  for (auto const& answer : spectra) {
    auto const& found = answer.spectrum;
    for (std::size_t i = 0; i < found.power.size(); ++i) {
      nlohmann::ordered_json row = {{"field", answer.name}};
      if (answer.time_index) row["time_index"] = *answer.time_index;
      row.update({{"units", answer.units},
                  {"wavenumber", found.wavenumber[i]},
                  {"power", found.power[i]},
                  {"modes", found.modes[i]}});
      rows.push_back(std::move(row));
    }
  }
  print(options.common, csv_table(rows));
}

}  // namespace

int spectrum(SpectrumOptions const& options) {
  verification::spectrum_variant(options.variant);  // refused before the file is read
  io::InputFile const file(options.file);
  tell_of_parts({options.file});
  verification::FileSpectrumOptions const how{options.variables, options.time,
                                              options.all_times, plane_choice(options.planes),
                                              options.variant,   options.log10_floor};
  auto const spectra = verification::spectra_of(file, how);
  if (options.json) {
    print_json(options.common, verification::to_json(spectra, how));
    return exit_code::done;
  }
  if (options.csv) {
    print_csv(options, spectra);
    return exit_code::done;
  }
  for (auto const& answer : spectra) {
    auto const at_time =
        options.all_times && answer.time_index ? fmt::format(" at time {}", *answer.time_index) : "";
    print(options.common, to_text(answer, fmt::format("{} of {}{}", options.variant, answer.name, at_time)));
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
