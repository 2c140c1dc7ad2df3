// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/suggested_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ensembles/runs/errors.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/evaluators/frame.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Sums over the times of a field at each of its points.
struct PointSums {
  std::vector<double> sum, squares;
  void add(std::vector<double> const& values) {
    sum.resize(values.size());
    squares.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum[i] += values[i];
      squares[i] += values[i] * values[i];
    }
  }
  /// Relative L2 error of two states that have nothing in common but each point's mean and variance over
  /// time: sqrt(2 var / (mean^2 + var)), summed over points.
  double saturation(std::size_t times) const {
    auto const n = static_cast<double>(times);
    double variance = 0, mean_square = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (std::isnan(sum[i])) continue;
      auto const mean = sum[i] / n;
      variance += std::max(squares[i] / n - mean * mean, 0.0);
      mean_square += squares[i] / n;
    }
    return mean_square > 0 ? std::sqrt(2 * variance / mean_square) : 0;
  }
};

std::vector<verification::NoiseGrowth> growths_of(fs::path const& reference, fs::path const& noisy) {
  auto const layout = verification::read_layout(reference);
  io::InputFile const a(reference), b(noisy);
  std::vector<verification::NoiseGrowth> growths;
  std::vector<PointSums> sums(layout.fields.size());
  for (auto const& field : layout.fields) {
    growths.push_back({.field = field, .resolution = a.stored_type(field).relative_rounding / 2});
  }
  for (std::size_t time = 0; time < layout.times.size(); ++time) {
    auto const index = static_cast<std::int64_t>(time);
    auto const without = verification::read_frame(a, layout, index),
               with = verification::read_frame(b, layout, index);
    for (std::size_t f = 0; f < growths.size(); ++f) {
      auto& growth = growths[f];
      growth.time_s.push_back(layout.times[time]);
      growth.error.push_back(
          errors_of(with.at(growth.field), without.at(growth.field), layout.weights_of(growth.field))
              .l2_relative);
      sums[f].add(without.at(growth.field));
    }
  }
  for (std::size_t f = 0; f < growths.size(); ++f)
    growths[f].saturation = sums[f].saturation(layout.times.size());
  return growths;
}

/// The amplitude that is least, as given.
std::string least_amplitude(StudyOptions const& study) {
  return *std::ranges::min_element(study.epsilons, {},
                                   [](std::string const& text) { return parse_epsilon(text).value; });
}

}  // namespace

verification::Suggestion suggested_study(CaseSource const& source, StudyOptions const& study,
                                         fs::path const& folder, StudyExecution const& execution) {
  auto two = study;
  two.epsilons = {least_amplitude(study)};
  auto const reference = make_plan(two).runs.front().configuration;
  two.configurations = two.members_for = {to_text(reference)};
  two.reference = to_text(reference);
  two.members = 1;
  two.control = false;
  two.quad_until = 0;
  auto const plan = make_plan(two);
  if (run_study(source, plan, folder, execution).interrupted) throw Interrupted();
  for (auto const& entry : read_manifest(folder).entries) {
    if (entry.state != RunState::done) throw RunFailed(entry.run.id + " failed: " + entry.reason);
  }
  auto const output = [&](std::size_t run) { return folder / plan.runs.at(run).path / "output.nc"; };
  return verification::suggest(growths_of(output(0), output(1)), parse_epsilon(two.epsilons.front()).value);
}

std::string table(verification::Suggestion const& suggestion, std::string const& command) {
  auto text =
      fmt::format("{} --epsilons {:g} --members {}", command, suggestion.amplitude, suggestion.members);
  if (suggestion.until_s) text += fmt::format(" --until \"{:.4g} s\"", *suggestion.until_s);
  text += "\n";
  for (auto const& reason : suggestion.reasons) text += "  " + reason + "\n";
  return text;
}

}  // namespace ulpine::ensembles
