// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>

#include "io/error.hpp"
#include "io/instants.hpp"
#include "precision/exact_sum.hpp"
#include "verification/comparison/matching.hpp"
#include "verification/consistency/field_weights.hpp"
#include "verification/consistency/level_sums.hpp"
#include "verification/consistency/reading.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::size_t most_lists = 1024;  // lists of times that are in memory
constexpr std::size_t most_threads = 8;   // each has a file open

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
    auto const instants = io::instants_of(input->time_axis(name));
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
  files_->wait(run.files[place.file]);
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

/// What a thread that summarises runs keeps from one to the next.
struct RunGroup::Buffers {
  KeptWeights kept;
  std::vector<double> values, weights;
  std::int64_t most_values = 0;
};

namespace {

/// Where the values of a box start among the row-major ones of a field, where they follow each other.
std::optional<std::int64_t> first_of(io::Box const& box, std::vector<std::int64_t> const& shape) {
  std::int64_t first = 0;
  bool inner = true;  // whole rows so far, from the last dimension on
  for (std::size_t d = 0; d < shape.size(); ++d) first = first * shape[d] + box.start[d];
  for (auto d = shape.size(); d-- > 0;) {
    if (!inner && box.count[d] != 1) return {};
    inner = inner && box.count[d] == shape[d];
  }
  return first;
}

/// Parts of a variable that are read at once: as small as caches like them where these are whole rows, which
/// are unpacked once in any size, else as large as may be.
std::vector<io::Box> boxes_of(io::InputFile const& file, std::string const& name,
                              std::vector<std::int64_t> const& shape, std::int64_t most_values) {
  constexpr std::int64_t most_cached = std::int64_t{1} << 16;
  auto boxes = file.boxes(name, std::min(most_values, most_cached));
  if (std::ranges::all_of(boxes, [&](io::Box const& box) { return first_of(box, shape).has_value(); }))
    return boxes;
  return file.boxes(name, most_values);
}

ExactSum count_of(std::int64_t points) {
  ExactSum sum;
  sum.add(double(points));
  return sum;
}

}  // namespace

VariableSummary RunGroup::summarise(io::InputFile const& file, std::int64_t time, std::size_t variable,
                                    Buffers& buffers) const {
  auto const& info = grid_.variables[variable];
  auto const shape = file.info(info.name).shape;
  auto const measure = grid_.weighting.measure(file, info.name);
  auto* kept = measure ? buffers.kept.of(file, grid_.weighting, *measure, shape, info.levels) : nullptr;
  std::vector<LevelSums> levels(std::size_t(info.levels));
  std::vector<ExactSum> wholes;  // where weights are not kept
  if (kept == nullptr) wholes.resize(levels.size(), measure ? ExactSum() : count_of(info.points));
  for (auto const& box : boxes_of(file, info.name, shape, buffers.most_values)) {
    auto& values = buffers.values;
    values.resize(std::size_t(box.size()));
    file.read(info.name, time, box, values);
    std::span<double const> weights;
    auto const first = first_of(box, shape);
    if (kept != nullptr && first) {
      weights = kept->at(*first, box.size());
    } else if (measure) {
      buffers.weights.resize(values.size());
      grid_.weighting.read(file, *measure, box, buffers.weights);
      weights = buffers.weights;
    }
    auto const of_level = info.levels > 1 ? values.size() / std::size_t(box.count.front()) : values.size();
    auto k = info.levels > 1 ? std::size_t(box.start.front()) : 0;
    for (std::size_t done = 0; done < values.size(); done += of_level, ++k) {
      auto const of_points = measure ? weights.subspan(done, of_level) : weights;
      levels[k].add(std::span(values).subspan(done, of_level), of_points);
      if (measure && kept == nullptr) wholes[k].merge(positive_sum(of_points));
    }
  }
  VariableSummary summary;
  ExactSum sum, total;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    auto const& whole = kept == nullptr ? wholes[k] : kept->whole(std::int64_t(k));
    summary.levels.push_back(levels[k].summary(whole));
    sum.merge(levels[k].sum());
    total.merge(levels[k].total(whole));
  }
  if (auto const weight = total.to_double(); weight > 0) summary.mean = sum.to_double() / weight;
  return summary;
}

RunSummary RunGroup::summarise(RunFiles const& run, Buffers& buffers) const {
  RunSummary summary;
  summary.name = run.name;
  for (std::size_t v = 0; v < grid_.variables.size(); ++v) {
    auto& times = summary.variables.emplace_back();
    for (std::size_t t = 0; t < grid_.times.size(); ++t) {
      auto const place = place_of(run, v, t);
      times.push_back(summarise(*(*files_)(run.files[place.file]), place.time, v, buffers));
    }
  }
  return summary;
}

EnsembleSummary RunGroup::summary(ReadingProgress const& progress, std::size_t threads) const {
  EnsembleSummary summary;
  summary.variables = grid_.variables;
  summary.times = grid_.times;
  summary.scale = scale_of(grid_.axis);
  if (!grid_.instants.empty()) summary.scale.first = grid_.instants.front();
  std::vector<RunFiles const*> runs;
  for (auto const& run : list_.members) runs.push_back(&run);
  if (list_.unperturbed) runs.push_back(&*list_.unperturbed);
  std::vector<RunSummary> summaries(runs.size());
  threads = std::clamp<std::size_t>(threads, 1, std::min(most_threads, runs.size()));
  std::vector<std::exception_ptr> failures(threads);
  std::atomic<std::size_t> next = 0;
  auto const work = [&](std::size_t thread) {
    try {
      Buffers buffers;
      buffers.most_values = most_values_held / std::int64_t(threads);
      for (std::size_t i = next++; i < runs.size(); i = next++) {
        if (thread == 0) progress(double(i) / double(runs.size()), runs[i]->name);
        summaries[i] = summarise(*runs[i], buffers);
      }
    } catch (...) {
      failures[thread] = std::current_exception();
      next = runs.size();  // the others come to an end
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
    work(0);
  }
  for (auto const& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  if (list_.unperturbed) {
    summary.unperturbed = std::move(summaries.back());
    summaries.pop_back();
  }
  summary.members = std::move(summaries);
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
