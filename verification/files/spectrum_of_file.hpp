// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/comparison/planes.hpp"
#include "verification/metrics/spectrum.hpp"

namespace ulpine::verification {

/// Which planes of a field spectra are of, and how they are computed.
struct FileSpectrumOptions {
  std::vector<std::string> variables = {};
  std::int64_t time = -1;  ///< index, negative from the end
  bool all_times = false;  ///< every time instead
  PlaneChoice planes = {};
  std::string variant = "pysteps";         ///< a name that spectrum_variant() knows
  std::optional<double> log10_floor = {};  ///< of log10(max(x, floor)); positive
};

/// The spectrum of a variable at one time: the mean over its planes.
struct FileSpectrum {
  std::string name;                             ///< "theta", or "log10(theta)"
  std::string units;                            ///< of wave numbers: "cycles per m" or "cycles per cell"
  std::optional<std::int64_t> time_index = {};  ///< of a variable with a time axis, from 0
  std::int64_t planes = 0;                      ///< planes that have values
  Spectrum spectrum = {};                       ///< its notes are in `notes`
  std::optional<std::int64_t> floored = {};     ///< values raised to the floor, where there is one
  std::vector<std::string> notes = {};
};

/// The spectra of all variables and times asked for, variable by variable. Distances are those that
/// grid_spacing() finds. InputError where one has no values, more than 20,000 planes, or as radial_spectrum()
/// and planes_of() say.
std::vector<FileSpectrum> spectra_of(io::InputFile const& file, FileSpectrumOptions const& options);

/// The spectrum of row-major values, rows x columns; `spacing` of rows and columns in m, where it is known.
/// InputError, which begins with `name`, where there is no value.
FileSpectrum spectrum_of(std::string const& name, std::span<double const> values, std::int64_t rows,
                         std::int64_t columns, std::optional<std::array<double, 2>> const& spacing,
                         FileSpectrumOptions const& options);

/// The document of `ulpine spectrum --json`: one object, or a list of them under "spectra" where several
/// variables or all times were asked for.
nlohmann::ordered_json to_json(std::span<FileSpectrum const> spectra, FileSpectrumOptions const& options);

}  // namespace ulpine::verification
