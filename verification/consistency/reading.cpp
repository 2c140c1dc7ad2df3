// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "io/error.hpp"
#include "precision/exact_sum.hpp"
#include "verification/frame.hpp"
#include "verification/matching.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_open = 16;
constexpr std::int64_t most_values = std::int64_t{1} << 21;  // of values and of weights: 32 MiB in all

bool is_netcdf_name(fs::path const& path) {
  static std::set<std::string> const endings = {".nc", ".nc4", ".cdf", ".netcdf"};
  return endings.contains(path.extension().string());
}

std::vector<fs::path> netcdf_files(fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && is_netcdf_name(entry.path())) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// A variable of one file.
struct FileVariable {
  io::FieldInfo info;
  std::vector<double> instants;  ///< of its times; empty without a time axis
  bool dated = false;
  std::int64_t levels = 1;
};

FileVariable describe(io::InputFile const& file, std::string const& name) {
  FileVariable variable;
  variable.info = file.info(name);
  auto const times = file.times(name);
  auto const first = file.first_time(name);
  variable.dated = std::isfinite(first);
  for (auto const time : times) variable.instants.push_back(variable.dated ? first + time : time);
  auto const coordinates = file.coordinates(name);
  if (!coordinates.empty()) {
    variable.levels = std::max<std::int64_t>(
        1, levels_of(variable.info.dimensions, variable.info.shape, coordinates.front()));
  }
  return variable;
}

/// A variable of a run: the same in all its files, times one after the other.
std::map<std::string, FileVariable> variables_of(RunFiles const& run) {
  std::map<std::string, FileVariable> variables;
  std::map<std::string, std::size_t> files_with;
  for (auto const& path : run.files) {
    io::InputFile const file(path);
    for (auto const& name : file.variables()) {
      auto found = describe(file, name);
      ++files_with[name];
      auto const [entry, added] = variables.try_emplace(name, found);
      if (added) continue;
      if (entry->second.info.shape != found.info.shape || entry->second.info.units != found.info.units) {
        throw InputError(path.string() + ": " + name + ": of another shape or unit than in " +
                         run.files.front().string() +
                         " (they are files of one run) keep files of other grids apart");
      }
      auto& instants = entry->second.instants;
      instants.insert(instants.end(), found.instants.begin(), found.instants.end());
    }
  }
  return variables;
}

std::string places(std::vector<std::int64_t> const& shape) {
  std::string text;
  for (auto const extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "one value" : text;
}

void require_once(std::vector<RunList const*> const& lists) {
  std::set<fs::path> seen;
  auto const add = [&](RunFiles const& run) {
    for (auto const& path : run.files) {
      if (!seen.insert(fs::weakly_canonical(path)).second) {
        throw InputError(path.string() +
                         ": stands in two places (a run cannot be held against itself) leave it out of one");
      }
    }
  };
  for (auto const* list : lists) {
    for (auto const& run : list->members) add(run);
    if (list->unperturbed) add(*list->unperturbed);
  }
}

/// Says of each variable what weights it, by the first run.
void name_weights(CommonGrid& grid, RunFiles const& run, Weighting const& weighting) {
  grid.weighting = weighting;
  std::map<std::string, std::string> weighted;  // the variables that one weights
  for (auto const& path : run.files) {
    io::InputFile const file(path);
    for (auto& variable : grid.variables) {
      if (!variable.weights.empty() || !file.has(variable.name)) continue;
      auto const measure = weighting.measure(file, variable.name);
      if (!measure) continue;
      variable.weights = measure->name;
      auto& names = weighted[weighting.name(*measure)];
      names += (names.empty() ? "" : ", ") + variable.name;
    }
  }
  for (auto const& [weights, names] : weighted) grid.notes.push_back(names + ": weighted by " + weights);
  if (!weighted.empty()) return;
  io::InputFile const first(run.files.front());
  weighting.refuse_misfit(first);
  if (auto hint = weighting.hint(first); !hint.empty()) grid.notes.push_back(std::move(hint));
}

}  // namespace

std::vector<RunFiles> runs_in(fs::path const& folder) {
  if (!fs::is_directory(folder)) {
    throw InputError(folder.string() +
                     ": no such folder (runs are looked for in it) name a folder of NetCDF files");
  }
  std::vector<RunFiles> runs;
  for (auto const& path : netcdf_files(folder)) runs.push_back({path.filename().string(), {path}});
  if (!runs.empty()) return runs;
  std::vector<fs::path> folders;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  for (auto const& inner : folders) {
    if (auto files = netcdf_files(inner); !files.empty())
      runs.push_back({inner.filename().string(), std::move(files)});
  }
  if (runs.empty()) {
    throw InputError(
        folder.string() +
        ": no NetCDF files (neither in it nor in the folders in it) name a folder with one file, or one "
        "folder, for each run");
  }
  return runs;
}

CommonGrid common_grid(std::vector<RunList const*> const& lists, std::vector<std::string> const& wanted,
                       bool last, Weighting const& weighting, ReadingProgress const& progress) {
  require_once(lists);
  std::vector<RunFiles const*> runs;
  for (auto const* list : lists) {
    for (auto const& run : list->members) runs.push_back(&run);
    if (list->unperturbed) runs.push_back(&*list->unperturbed);
  }
  CommonGrid grid;
  auto common = variables_of(*runs.front());
  for (auto const& name : wanted) {
    if (common.contains(name)) continue;
    std::vector<std::string> names;
    for (auto const& [other, variable] : common) names.push_back(other);
    throw InputError(runs.front()->files.front().string() + ": no variable '" + name + "'" +
                     choices_hint(name, names));
  }
  std::erase_if(common, [&](auto const& entry) {
    return !wanted.empty() && std::ranges::find(wanted, entry.first) == wanted.end();
  });
  auto const in_time =
      std::ranges::any_of(common, [](auto const& entry) { return !entry.second.instants.empty(); });
  if (in_time) std::erase_if(common, [](auto const& entry) { return entry.second.instants.empty(); });
  // Variables come at the times of most of them.
  std::map<std::vector<double>, std::size_t> at_times;
  for (auto const& [name, variable] : common) ++at_times[variable.instants];
  std::vector<double> instants;
  for (auto const& [times, count] : at_times) {
    if (at_times[instants] < count || instants.empty()) instants = times;
  }
  std::erase_if(common, [&](auto const& entry) {
    if (entry.second.instants == instants) return false;
    grid.notes.push_back(entry.first + ": left out: at other times than most variables");
    return true;
  });
  grid.dated = std::ranges::all_of(common, [](auto const& entry) { return entry.second.dated; });

  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto const& run = *runs[i];
    progress(double(i) / double(runs.size()), run.name);
    auto const variables = variables_of(run);
    auto const& path = run.files.front().string();
    for (auto entry = common.begin(); entry != common.end();) {
      auto const& [name, expected] = *entry;
      auto const found = variables.find(name);
      if (found == variables.end()) {
        if (!wanted.empty())
          throw InputError(path + ": no variable '" + name +
                           "' (all runs must have it) ask for those that they share");
        grid.notes.push_back(name + ": left out: " + run.name + " has none");
        entry = common.erase(entry);
        continue;
      }
      auto const& variable = found->second;
      if (variable.info.units != expected.info.units) {
        throw InputError(path + ": " + name + ": in '" + variable.info.units + "' ('" + expected.info.units +
                         "' in " + runs.front()->files.front().string() +
                         ") bring it to the same unit, or leave it out with --variables");
      }
      if (variable.info.shape != expected.info.shape) {
        throw InputError(path + ": " + name + ": " + places(variable.info.shape) + " (" +
                         places(expected.info.shape) + " in " + runs.front()->files.front().string() +
                         ") compare runs on one grid, or leave it out with --variables");
      }
      if (variable.dated != expected.dated) {
        throw InputError(path + ": " + name + ": its times " +
                         (variable.dated ? "are dates" : "cannot be read as dates") + " (unlike those of " +
                         runs.front()->files.front().string() + ") give both the same units of time");
      }
      // Times that all runs have, in the order of the first.
      std::vector<double> kept;
      for (auto const& [here, there] : match_times(instants, variable.instants))
        kept.push_back(instants[here]);
      if (kept.size() < instants.size()) {
        if (kept.empty()) {
          throw InputError(path + ": " + name + ": no time in common with " +
                           runs.front()->files.front().string() +
                           " (nothing can be compared) name runs of one period");
        }
        grid.notes.push_back(std::to_string(instants.size() - kept.size()) + " times left out: " + run.name +
                             " has none of them");
        instants = std::move(kept);
      }
      ++entry;
    }
  }
  if (common.empty()) {
    throw InputError(
        runs.front()->files.front().string() +
        ": shares no variable with all other runs (nothing can be compared) name files of like content");
  }
  if (last && instants.size() > 1) instants.erase(instants.begin(), instants.end() - 1);
  for (auto const& [name, variable] : common) {
    grid.variables.push_back(
        {name, variable.info.units, variable.levels, variable.info.size() / variable.levels});
  }
  name_weights(grid, *runs.front(), weighting);
  grid.instants = instants;
  if (instants.empty()) grid.times = {not_a_number};
  for (auto const instant : instants) grid.times.push_back(instant - instants.front());
  return grid;
}

RunGroup::RunGroup(RunList list, CommonGrid const& grid) : list_{std::move(list)}, grid_{grid} {}
RunGroup::~RunGroup() = default;

RunFiles const& RunGroup::run_of(std::size_t run) const { return list_.members.at(run); }

std::shared_ptr<io::InputFile const> RunGroup::open(fs::path const& path) const {
  std::lock_guard const lock{mutex_};
  auto found =
      std::ranges::find(open_, path, &std::pair<fs::path, std::shared_ptr<io::InputFile const>>::first);
  if (found == open_.end()) {
    open_.emplace_front(path, std::make_shared<io::InputFile const>(path));
    if (open_.size() > most_open) open_.pop_back();
  } else {
    open_.splice(open_.begin(), open_, found);
  }
  return open_.front().second;
}

RunGroup::Place RunGroup::place_of(RunFiles const& run, std::size_t variable, std::size_t time) const {
  auto const& name = grid_.variables[variable].name;
  if (grid_.instants.empty()) {
    for (std::size_t file = 0; file < run.files.size(); ++file) {
      if (open(run.files[file])->has(name)) return {file, -1};
    }
  }
  std::vector<double> instants;
  std::vector<Place> all;
  for (std::size_t file = 0; file < run.files.size(); ++file) {
    auto const input = open(run.files[file]);
    if (!input->has(name)) continue;
    auto const times = input->times(name);
    auto const first = grid_.dated ? input->first_time(name) : 0;
    for (std::size_t t = 0; t < times.size(); ++t) {
      instants.push_back(first + times[t]);
      all.push_back({file, std::int64_t(t)});
    }
  }
  for (auto const& [wanted, found] : match_times(grid_.instants, instants)) {
    if (wanted == time) return all[found];
  }
  throw InputError(run.files.front().string() + ": " + name +
                   ": a time that was there is gone (the file was changed while it was read) call again");
}

void RunGroup::read_points(RunFiles const& run, std::size_t variable, std::size_t time, std::int64_t first,
                           std::span<double> values) const {
  auto const& name = grid_.variables[variable].name;
  auto const place = place_of(run, variable, time);
  auto const file = open(run.files[place.file]);
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
  read_points(run_of(run), variable, time, first, values);
}

void RunGroup::read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                                std::span<double> values) const {
  read_points(list_.unperturbed.value(), variable, time, first, values);
}

void RunGroup::read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const {
  auto const& run = run_of(0);
  auto const& name = grid_.variables[variable].name;
  auto const file = open(run.files[place_of(run, variable, 0).file]);
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
      auto const file = open(run.files[place.file]);
      auto const measure = grid_.weighting.measure(*file, info.name);
      auto& of_time = times.emplace_back();
      of_time.levels.resize(std::size_t(info.levels));
      std::vector<ExactSum> sums(std::size_t(info.levels)), totals(std::size_t(info.levels));
      for (auto const& box : file->boxes(info.name, most_values)) {
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

}  // namespace ulpine::verification::consistency
