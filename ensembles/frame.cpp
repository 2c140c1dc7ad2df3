// SPDX-License-Identifier: Apache-2.0
#include "ensembles/frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/exec/random.hpp"
#include "io/error.hpp"
#include "verification/compare.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/spectrum.hpp"

namespace ulpine::ensembles {
namespace {

/// True on land: from a static field of CF standard name land_binary_mask or sea_binary_mask, or one called
/// `mask` (0: land).
std::vector<bool> land_cells(io::InputFile const& file, std::vector<std::string> const& statics,
                             std::int64_t cells) {
  for (auto const& name : statics) {
    auto const field = file.read(name);
    auto const& standard = field.info.standard_name;
    auto const says_sea = standard == "sea_binary_mask" || (standard.empty() && name == "mask");
    if ((!says_sea && standard != "land_binary_mask") || field.info.size() != cells) {
      continue;
    }
    std::vector<bool> land(field.values.size());
    std::transform(field.values.begin(), field.values.end(), land.begin(),
                   [&](double value) { return says_sea ? !(value > 0) : value > 0; });
    return land;
  }
  return {};
}

}  // namespace

Layout read_layout(std::filesystem::path const& output) {
  io::InputFile const file(output);
  Layout layout;
  std::vector<std::string> statics;
  std::vector<io::FieldInfo> infos;
  for (auto const& name : file.variables()) {
    auto const times = file.times(name);
    if (times.empty()) {
      statics.push_back(name);
      continue;
    }
    layout.fields.push_back(name);
    layout.times = times;
    infos.push_back(file.read(name).info);
    layout.frame_bytes += infos.back().size() * static_cast<std::int64_t>(sizeof(double));
    if (auto weights = file.weights(name); !weights.empty()) {
      layout.weights[name] = std::move(weights);
    }
    if (name == "shear" && infos.back().shape.size() == 2) {
      layout.ny = infos.back().shape[0];
      layout.nx = infos.back().shape[1];
      layout.spacing = file.spacing(name);
    }
  }
  if (layout.fields.empty()) {
    throw InputError(output.string() +
                     ": has no field that changes in time (nothing can be compared) repeat the run");
  }
  layout.vectors = verification::vector_components(infos);
  for (auto const& components : layout.vectors) {
    if (auto const weights = layout.weights.find(components.front()); weights != layout.weights.end()) {
      layout.weights[verification::speed_name(components)] = weights->second;
    }
  }
  if (layout.nx > 0) {
    layout.land = land_cells(file, statics, layout.ny * layout.nx);
  }
  return layout;
}

Frame read_frame(io::InputFile const& file, Layout const& layout, std::int64_t time) {
  Frame frame;
  for (auto const& name : layout.fields) {
    frame[name] = file.read(name, time).values;
  }
  for (auto const& components : layout.vectors) {
    std::vector<std::span<double const>> views;
    for (auto const& name : components) views.emplace_back(frame.at(name));
    frame[verification::speed_name(components)] = verification::speed(views);
  }
  return frame;
}

Errors errors_of(std::span<double const> test, std::span<double const> reference,
                 std::span<double const> weights) {
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  if (test.size() != reference.size() || (!weights.empty() && weights.size() != test.size())) {
    return {nan, nan};
  }
  double error = 0, size = 0, largest = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (std::isnan(test[i]) && std::isnan(reference[i])) {
      continue;
    }
    auto const weight = weights.empty() ? 1 : weights[i];
    auto const difference = test[i] - reference[i];
    error += weight * difference * difference;
    size += weight * reference[i] * reference[i];
    largest = std::max(largest, std::abs(difference));
  }
  if (!std::isfinite(error)) {
    return {nan, nan};  // missing or infinite on one side alone
  }
  auto const undefined = size == 0 && error > 0;
  return {error == 0 ? 0 : undefined ? nan : std::sqrt(error / size), largest};
}

verification::LkfTotals detect_lkf(std::vector<double> shear, Layout const& layout,
                                   LkfSettings const& settings) {
  constexpr double seconds_a_day = 86400;
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < shear.size(); ++i) {
    shear[i] = !layout.land.empty() && layout.land[i] ? nan : shear[i] * seconds_a_day;
  }
  lkf::frame_with_nan(shear, layout.ny, layout.nx);
  auto const detection =
      lkf::detect({layout.ny, layout.nx, shear}, settings.on_grid(layout.spacing), settings.rules);
  auto const summary =
      lkf::summarise(detection, layout.spacing > 0 ? std::optional(layout.spacing / 1000) : std::nullopt);
  return {summary.count, summary.total_length_km};
}

verification::FieldSpectrum shear_spectrum(std::vector<double> const& shear, Layout const& layout) {
  auto values = verification::log10_floored(shear, shear_floor);
  for (std::size_t i = 0; i < layout.land.size(); ++i) {
    if (layout.land[i]) values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  auto const spacing = layout.spacing > 0 ? layout.spacing : 1;
  auto const spectrum = verification::radial_spectrum(values, layout.ny, layout.nx, spacing, spacing);
  return {"log10(shear)", spectrum.wavenumber, spectrum.power};
}

std::vector<double> noisy(std::vector<double> shear, double amplitude, std::uint64_t seed,
                          std::uint32_t draw) {
  constexpr auto key = name_key("lkf_control");
  for (std::size_t i = 0; i < shear.size(); ++i) {
    shear[i] *= 1 + amplitude * uniform_symmetric(seed, draw, key, static_cast<std::int64_t>(i));
  }
  return shear;
}

}  // namespace ulpine::ensembles
