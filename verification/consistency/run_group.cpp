// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "io/error.hpp"
#include "precision/exact_sum.hpp"
#include "verification/comparison/matching.hpp"
#include "verification/consistency/reading.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::size_t most_lists = 256;  // lists of times that are in memory

}  // namespace

RunGroup::RunGroup(RunList list, CommonGrid const& grid)
    : list_{std::move(list)},
      grid_{grid},
      files_{grid.files ? grid.files : std::make_shared<OpenFiles>(most_open_files)} {}
RunGroup::~RunGroup() = default;

RunFiles const& RunGroup::run_of(std::size_t run) const { return list_.members.at(run); }

RunGroup::Places RunGroup::places_of(RunFiles const& run, std::size_t variable) const {
  auto const key = std::pair(&run, variable);
  {
    std::lock_guard const lock{mutex_};
    auto const known = std::ranges::find(places_, key, [](auto const& entry) { return entry.first; });
    if (known != places_.end()) {
      places_.splice(places_.begin(), places_, known);
      return places_.front().second;
    }
  }
  auto const& name = grid_.variables[variable].name;
  auto places = std::make_shared<std::vector<Moment>>();
  std::vector<Moment> moments;
  for (std::size_t file = 0; file < run.files.size(); ++file) {
    auto const input = (*files_)(run.files[file]);
    if (!input->has(name)) continue;
    if (grid_.instants.empty()) {
      places->push_back({.file = file});
      break;
    }
    auto const instants = instants_of(input->time_axis(name));
    for (std::size_t t = 0; t < instants.size(); ++t) moments.push_back({instants[t], file, std::int64_t(t)});
  }
  std::size_t twice = 0;
  moments = in_order_of_time(std::move(moments), twice);
  std::vector<double> instants;
  for (auto const& moment : moments) instants.push_back(moment.instant);
  for (auto const& [wanted, found] : match_times(grid_.instants, instants)) places->push_back(moments[found]);
  if (places->size() != grid_.times.size()) {
    throw InputError(run.files.front().string() + ": " + name +
                     ": a time that was there is gone (the file was changed while it was read) call again");
  }
  std::lock_guard const lock{mutex_};
  if (places_.size() == most_lists) places_.pop_back();
  places_.emplace_front(key, std::move(places));
  return places_.front().second;
}

Moment RunGroup::place_of(RunFiles const& run, std::size_t variable, std::size_t time) const {
  return places_of(run, variable)->at(time);
}

void RunGroup::read_from(RunFiles const& run, std::size_t variable, std::size_t time, std::int64_t first,
                         std::span<double> values) const {
  auto const& name = grid_.variables[variable].name;
  auto const place = place_of(run, variable, time);
  auto const file = (*files_)(run.files[place.file]);
  std::size_t done = 0;
  for (auto const& slab : io::hyperslabs(file->info(name).shape, first, std::int64_t(values.size()))) {
    io::Box box;
    box.start.assign(slab.start.begin(), slab.start.end());
    box.count.assign(slab.count.begin(), slab.count.end());
    file->read(name, place.time, box, values.subspan(done, std::size_t(slab.values)));
    done += std::size_t(slab.values);
  }
}

void RunGroup::read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
                    std::span<double> values) const {
  read_from(run_of(run), variable, time, first, values);
}

void RunGroup::read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                                std::span<double> values) const {
  read_from(list_.unperturbed.value(), variable, time, first, values);
}

void RunGroup::read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const {
  auto const& run = run_of(0);
  auto const& name = grid_.variables[variable].name;
  auto const file = (*files_)(run.files[place_of(run, variable, 0).file]);
  auto const measure = grid_.weighting.measure(*file, name);
  if (!measure) {
    std::ranges::fill(weights, 1.0);
    return;
  }
  std::size_t done = 0;
  for (auto const& slab : io::hyperslabs(file->info(name).shape, first, std::int64_t(weights.size()))) {
    io::Box box;
    box.start.assign(slab.start.begin(), slab.start.end());
    box.count.assign(slab.count.begin(), slab.count.end());
    grid_.weighting.read(*file, *measure, box, weights.subspan(done, std::size_t(slab.values)));
    done += std::size_t(slab.values);
  }
  for (auto& weight : weights) {
    if (!(weight > 0)) weight = 0;  // missing
  }
}

RunSummary RunGroup::summarise(RunFiles const& run) const {
  RunSummary summary;
  summary.name = run.name;
  std::vector<double> values, weights;
  for (std::size_t v = 0; v < grid_.variables.size(); ++v) {
    auto const& info = grid_.variables[v];
    auto& times = summary.variables.emplace_back();
    for (std::size_t t = 0; t < grid_.times.size(); ++t) {
      auto const place = place_of(run, v, t);
      auto const file = (*files_)(run.files[place.file]);
      auto const measure = grid_.weighting.measure(*file, info.name);
      auto& of_time = times.emplace_back();
      of_time.levels.resize(std::size_t(info.levels));
      std::vector<ExactSum> sums(std::size_t(info.levels)), totals(std::size_t(info.levels));
      for (auto const& box : file->boxes(info.name, most_values_held)) {
        values.resize(std::size_t(box.size()));
        file->read(info.name, place.time, box, values);
        weights.assign(values.size(), 1);
        if (measure.has_value()) grid_.weighting.read(*file, *measure, box, weights);
        auto const of_level =
            info.levels > 1 ? values.size() / std::size_t(box.count.front()) : values.size();
        for (std::size_t i = 0; i < values.size(); ++i) {
          auto const k = info.levels > 1 ? std::size_t(box.start.front()) + i / of_level : 0;
          auto& level = of_time.levels[k];
          if (std::isnan(values[i])) {
            ++level.missing;
            continue;
          }
          if (std::isinf(values[i])) ++level.not_finite;
          level.min = std::isnan(level.min) ? values[i] : std::min(level.min, values[i]);
          level.max = std::isnan(level.max) ? values[i] : std::max(level.max, values[i]);
          if (!(weights[i] > 0)) continue;
          sums[k].add(weights[i] * values[i]);
          totals[k].add(weights[i]);
        }
      }
      ExactSum sum, total;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        auto const weight = totals[k].to_double();
        if (weight > 0) of_time.levels[k].mean = sums[k].to_double() / weight;
        sum.merge(sums[k]);
        total.merge(totals[k]);
      }
      if (total.to_double() > 0) of_time.mean = sum.to_double() / total.to_double();
    }
  }
  return summary;
}

EnsembleSummary RunGroup::summary(ReadingProgress const& progress) const {
  EnsembleSummary summary;
  summary.variables = grid_.variables;
  summary.times = grid_.times;
  summary.scale = scale_of(grid_.axis);
  if (!grid_.instants.empty()) summary.scale.first = grid_.instants.front();
  auto const runs = double(list_.members.size() + (list_.unperturbed ? 1 : 0));
  for (auto const& run : list_.members) {
    progress(double(summary.members.size()) / runs, run.name);
    summary.members.push_back(summarise(run));
  }
  if (list_.unperturbed) {
    progress((runs - 1) / runs, list_.unperturbed->name);
    summary.unperturbed = summarise(*list_.unperturbed);
  }
  return summary;
}

void RunGroup::require_values(EnsembleSummary const& summary) const {
  std::vector<std::pair<RunSummary const*, RunFiles const*>> runs;
  for (std::size_t i = 0; i < summary.members.size(); ++i) runs.emplace_back(&summary.members[i], &run_of(i));
  if (summary.unperturbed) runs.emplace_back(&*summary.unperturbed, &*list_.unperturbed);
  for (std::size_t v = 0; v < summary.variables.size(); ++v) {
    auto const& variable = summary.variables[v];
    for (std::size_t t = 0; t < summary.times.size(); ++t) {
      auto const is_empty = [&](auto const& run) {
        return std::ranges::all_of(run.first->variables[v][t].levels, [&](LevelSummary const& level) {
          return level.missing == variable.points;
        });
      };
      auto const found = std::ranges::find_if(runs, is_empty);
      if (found == runs.end() || std::ranges::all_of(runs, is_empty)) continue;
      auto const& run = *found->second;
      auto const time = summary.time_text(t);
      throw InputError(run.files[place_of(run, v, t).file].string() + ": " + variable.name +
                       (time.empty() ? "" : " at " + time) +
                       ": all values are missing (other runs have some) leave the run out, or the variable "
                       "with --variables");
    }
  }
}

}  // namespace ulpine::verification::consistency
