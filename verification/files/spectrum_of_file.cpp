// SPDX-License-Identifier: Apache-2.0
#include "verification/files/spectrum_of_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "io/error.hpp"
#include "verification/comparison/grid_spacing.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t most_planes = 20'000;  // more is a damaged header, and would take minutes

void add_to(Spectrum& sum, Spectrum const& part) {
  if (sum.power.empty()) {
    sum = part;
    return;
  }
  std::ranges::transform(sum.power, part.power, sum.power.begin(), std::plus<>{});
  sum.outside_power += part.outside_power;
}

/// A mean over planes as they come.
class MeanSpectrum {
 public:
  MeanSpectrum(std::string const& variable, std::optional<std::array<double, 2>> const& spacing,
               FileSpectrumOptions const& options)
      : answer_{variable, spacing ? "cycles per m" : "cycles per cell"},
        spacing_{spacing.value_or(std::array{1.0, 1.0})},
        options_{options} {}

  void note(std::string const& text) {
    if (std::ranges::find(answer_.notes, text) == answer_.notes.end()) answer_.notes.push_back(text);
  }

  /// A plane without values counts for nothing.
  void add(std::vector<double> values, std::int64_t rows, std::int64_t columns) {
    if (std::ranges::all_of(values, [](double value) { return std::isnan(value); })) return;
    if (options_.log10_floor) {
      floored_ += count_floored(values, *options_.log10_floor);
      seen_ += static_cast<std::int64_t>(values.size());
      values = log10_floored(values, *options_.log10_floor);
    }
    auto const part =
        radial_spectrum(values, rows, columns, spacing_[0], spacing_[1], spectrum_variant(options_.variant));
    add_to(answer_.spectrum, part);
    ++answer_.planes;
    for (auto const& text : part.notes) note(text);
  }

  /// The mean over the planes, of `count` that were given, `along` these dimensions.
  FileSpectrum result(std::string const& where, std::int64_t count, std::string const& along) {
    if (answer_.planes == 0) {
      throw InputError(where + " has no values (all are missing) choose another variable or --time");
    }
    auto const number = static_cast<double>(answer_.planes);
    for (auto& power : answer_.spectrum.power) power /= number;
    answer_.spectrum.outside_power /= number;
    if (count > 1) {
      note(fmt::format("the mean of {} spectra, over {} (--level or --at choose)", answer_.planes, along));
    }
    if (answer_.planes < count) {
      note(fmt::format("{} planes without values were left out", count - answer_.planes));
    }
    if (options_.log10_floor) {
      answer_.name = "log10(" + answer_.name + ")";
      answer_.floored = floored_;
      note(fmt::format("{} of {} values are below {:g} and were raised to it", floored_, seen_,
                       *options_.log10_floor));
    }
    auto const overflowed = [](double power) { return !std::isfinite(power); };
    if (std::ranges::any_of(answer_.spectrum.power, overflowed) ||
        overflowed(answer_.spectrum.outside_power)) {
      note(
          "the power is beyond the range of double, or a value on the way to it, where it is not finite "
          "(null in JSON)");
    }
    return std::move(answer_);
  }

 private:
  FileSpectrum answer_;
  std::array<double, 2> spacing_;
  FileSpectrumOptions const& options_;
  std::int64_t floored_ = 0, seen_ = 0;
};

FileSpectrum spectrum_at(io::InputFile const& file, std::string const& variable, std::int64_t time,
                         FileSpectrumOptions const& options) {
  auto const where = file.path() + ": " + variable;
  auto const planes = planes_of(file, variable, options.planes, where, "a spectrum wants");
  if (planes.count > most_planes) {
    throw InputError(fmt::format("{} has {} planes, {} (a mean is over {} at most) choose by --level or --at",
                                 where, planes.count, planes.along, most_planes));
  }
  auto const grid = grid_spacing(file, variable, planes.rows, planes.columns);
  auto const spacing = grid.known() ? std::optional(std::array{grid.rows, grid.columns}) : std::nullopt;
  MeanSpectrum mean(variable, spacing, options);
  for (auto const& note : grid.notes) mean.note(note);
  for (std::int64_t i = 0; i < planes.count; ++i) {
    mean.add(file.read(variable, time, planes.box(i)), planes.row_count, planes.column_count);
  }
  return mean.result(where, planes.count, planes.along);
}

Json to_json(FileSpectrum const& answer, std::string const& variant) {
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

}  // namespace

std::vector<FileSpectrum> spectra_of(io::InputFile const& file, FileSpectrumOptions const& options) {
  std::vector<FileSpectrum> spectra;
  for (auto const& variable : options.variables) {
    auto const times = static_cast<std::int64_t>(file.time_axis(variable).stored.size());
    std::vector<std::int64_t> indices = {options.time};
    if (options.all_times && times > 0) {
      indices.resize(static_cast<std::size_t>(times));
      std::iota(indices.begin(), indices.end(), 0);
    }
    for (auto const index : indices) {
      spectra.push_back(spectrum_at(file, variable, index, options));
      if (times > 0) spectra.back().time_index = index < 0 ? times + index : index;
    }
  }
  return spectra;
}

FileSpectrum spectrum_of(std::string const& name, std::span<double const> values, std::int64_t rows,
                         std::int64_t columns, std::optional<std::array<double, 2>> const& spacing,
                         FileSpectrumOptions const& options) {
  MeanSpectrum mean(name, spacing, options);
  mean.add({values.begin(), values.end()}, rows, columns);
  return mean.result(name, 1, "");
}

nlohmann::ordered_json to_json(std::span<FileSpectrum const> spectra, FileSpectrumOptions const& options) {
  auto const several = options.variables.size() > 1 || options.all_times;
  auto list = Json::array();
  for (auto const& answer : spectra) {
    list.push_back(to_json(answer, options.variant));
    if (several && answer.time_index) list.back()["time_index"] = *answer.time_index;
  }
  return several ? Json{{"spectra", list}} : list.front();
}

}  // namespace ulpine::verification
