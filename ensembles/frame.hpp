// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ensembles/lkf_settings.hpp"
#include "io/netcdf.hpp"
#include "verification/results.hpp"

namespace ulpine::ensembles {

/// What the output files of a study have in common, taken from the reference's.
struct Layout {
  std::vector<std::string> fields;                     ///< that change in time
  std::vector<std::vector<std::string>> vectors;       ///< components whose speed is a field too
  std::map<std::string, std::vector<double>> weights;  ///< cell measures, by field; absent: none
  std::vector<double> times;                           ///< s since the first output
  std::int64_t frame_bytes = 0;                        ///< of one time in memory
  std::int64_t ny = 0, nx = 0;                         ///< of `shear`; 0: there is none
  double spacing = 0;                                  ///< of `shear`, m; 0: unknown
  std::vector<bool> land;                              ///< cells of `shear` that are land; empty: none
};
Layout read_layout(std::filesystem::path const& output);

/// All fields of a file at one time, speeds included.
using Frame = std::map<std::string, std::vector<double>>;
Frame read_frame(io::InputFile const& file, Layout const& layout, std::int64_t time);

/// The two errors that are followed in time, as compute_metrics() defines them but summed in plain double in
/// the order of the points, which takes a hundredth of its time; NaN where undefined or where one side alone
/// is missing.
struct Errors {
  double l2_relative = 0, linf = 0;
};
Errors errors_of(std::span<double const> test, std::span<double const> reference,
                 std::span<double const> weights);

/// Linear kinematic features of a shear field (s-1), land and the two outer rows and columns left out.
verification::LkfTotals detect_lkf(std::vector<double> shear, Layout const& layout,
                                   LkfSettings const& settings);

/// Power spectrum of log10(shear), floored at shear_floor.
verification::FieldSpectrum shear_spectrum(std::vector<double> const& shear, Layout const& layout);
/// s-1, about 1e-5 a day: below what a viscous-plastic run resolves, so that only cells at
/// rest meet it.
inline constexpr double shear_floor = 1e-10;

/// `shear` times (1 + amplitude * u), u uniform in [-1, 1), a function of seed, draw and cell.
std::vector<double> noisy(std::vector<double> shear, double amplitude, std::uint64_t seed,
                          std::uint32_t draw);

}  // namespace ulpine::ensembles
