// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/absent_messages.hpp"
#include "io/error.hpp"
#include "io/file_set.hpp"
#include "io/foreign_format.hpp"
#include "io/instants.hpp"
#include "io/part_place.hpp"
#include "io/same_file.hpp"
#include "verification/comparison/matching.hpp"
#include "verification/evaluators/frame.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

bool is_hidden(fs::path const& path) { return path.filename().string().starts_with('.'); }

/// A variable of a run: the same in all its files, times one after the other.
struct RunVariable {
  io::FieldInfo info;
  fs::path file;      ///< the first that has it
  io::TimeAxis axis;  ///< there, with its first time alone
  std::vector<Moment> moments;
  std::int64_t levels = 1;
  io::StoredType type;
  std::size_t without_time = 0;  ///< records whose time is missing

  std::vector<double> instants() const {
    std::vector<double> instants;
    for (auto const& moment : moments) instants.push_back(moment.instant);
    return instants;
  }
};
using RunVariables = std::map<std::string, RunVariable>;

/// The coarser of both in each respect.
io::StoredType coarser(io::StoredType const& a, io::StoredType const& b) {
  auto const b_is = b.relative_rounding > a.relative_rounding || b.step > a.step;
  return {b_is ? b.name : a.name, std::max(a.relative_rounding, b.relative_rounding),
          std::max(a.step, b.step)};
}

RunVariable describe(io::InputFile const& file, std::string const& name, std::size_t number) {
  RunVariable variable;
  variable.info = file.info(name);
  variable.file = file.path();
  variable.type = file.stored_type(name);
  variable.axis = file.time_axis(name);
  auto const instants = io::instants_of(variable.axis);
  for (std::size_t t = 0; t < instants.size(); ++t) {
    variable.without_time += std::isfinite(instants[t]) ? 0 : 1;
    variable.moments.push_back({instants[t], number, std::int64_t(t)});
  }
  if (!instants.empty() && variable.without_time == instants.size()) {
    throw InputError(
        file.path() + ": " + name + ": none of its times ('" + variable.axis.units +
        "') can be read (they are missing or no dates) mend them, or leave the variable out with "
        "--variables");
  }
  if (instants.size() > 1) variable.axis.stored.resize(1);
  auto const coordinates = file.coordinates(name);
  if (!coordinates.empty()) {
    variable.levels = std::max<std::int64_t>(
        1, levels_of(variable.info.dimensions, variable.info.shape, coordinates.front()));
  }
  return variable;
}

/// Reads what runs have, and holds their files to the first run's.
class Describing {
 public:
  explicit Describing(OpenFiles& files) : open_{files} {}
  /// All variables of the first run.
  RunVariables first(RunFiles const& run) {
    RunVariables variables;
    for (std::size_t number = 0; number < run.files.size(); ++number) {
      auto const file = open_(run.files[number]);
      for (auto const& name : file->variables()) add(variables, *file, name, number);
    }
    return variables;
  }
  /// The variables among `expected` that another run has.
  RunVariables further(RunFiles const& run, RunVariables const& expected) {
    RunVariables variables;
    for (std::size_t number = 0; number < run.files.size(); ++number) {
      auto const file = open_(run.files[number]);
      for (auto const& name : file->variables()) {
        if (expected.contains(name)) add(variables, *file, name, number);
      }
      require_places(run, number, expected);
    }
    return variables;
  }
  /// InputError where a variable of a file of a run lies elsewhere than in the first run.
  void require_places(RunFiles const& run, std::size_t number, RunVariables const& expected) {
    auto const file = open_(run.files[number]);
    std::map<fs::path, std::pair<std::shared_ptr<io::InputFile const>, Matching>> against;
    for (auto const& [name, variable] : expected) {
      if (variable.file == run.files[number] || !file->has(name)) continue;
      auto found = against.find(variable.file);
      if (found == against.end()) {
        if (against.size() == 1) against.clear();  // one file is held beside this one
        auto reference = open_(variable.file);
        Matching matching(*reference, *file, most_values_held);
        found = against.emplace(variable.file, std::pair(std::move(reference), std::move(matching))).first;
      }
      std::vector<std::string> notes;
      auto problem = found->second.second.grid_mismatch(name, notes);
      if (problem.empty()) problem = found->second.second.other_places(name);
      if (!problem.empty()) {
        throw InputError(file->path() + ": " + name + ": " + problem + " (in " + variable.file.string() +
                         ") compare runs on one grid, or leave it out with --variables");
      }
      if (auto const doubt = found->second.second.doubt(name); !doubt.empty()) {
        notes.push_back(name + ": " + doubt);
      }
      for (auto const& note : notes) {
        if (noted_.insert(note).second) notes_.push_back(run.name + ": " + note);
      }
    }
  }
  std::shared_ptr<io::InputFile const> open(fs::path const& path) { return open_(path); }
  /// The run's files are read once those of others have been looked at.
  void wait(RunFiles const& run) {
    for (auto const& path : run.files) open_.wait(path);
  }
  std::vector<std::string> const& notes() const { return notes_; }

 private:
  static void add(RunVariables& variables, io::InputFile const& file, std::string const& name,
                  std::size_t number) {
    // One that has no record yet is not there yet.
    if (auto const axis = file.time_axis(name); axis.exists && axis.stored.empty()) return;
    auto found = describe(file, name, number);
    auto const entry = variables.find(name);
    if (entry == variables.end()) {
      variables.emplace(name, std::move(found));
      return;
    }
    auto& variable = entry->second;
    if (variable.info.shape != found.info.shape || variable.info.units != found.info.units) {
      throw InputError(file.path() + ": " + name + ": of another shape or unit than in " +
                       variable.file.string() +
                       " (they are files of one run) keep files of other grids apart");
    }
    if (auto const misfit = misfit_of_times(variable.axis, found.axis); !misfit.empty()) {
      throw InputError(file.path() + ": " + name + ": " + misfit + " (held against " +
                       variable.file.string() +
                       ", which is of the same run) give both the same units of time");
    }
    variable.type = coarser(variable.type, found.type);
    variable.without_time += found.without_time;
    variable.moments.insert(variable.moments.end(), found.moments.begin(), found.moments.end());
  }

  OpenFiles& open_;
  std::set<std::string> noted_;
  std::vector<std::string> notes_;
};

/// Counts an event over several runs and reports it as one note: "m00.nc and 25 other runs".
class Tally {
 public:
  void add(std::string const& run, std::size_t count) {
    if (count == 0) return;
    first_ = runs_ == 0 ? run : first_;
    ++runs_;
    count_ += count;
  }
  /// Adds a note: so many times, what of them, and in which runs.
  void tell(std::string const& what, std::vector<std::string>& notes) const {
    if (runs_ == 0) return;
    auto const others =
        runs_ == 1 ? "" : fmt::format(" and {} other run{}", runs_ - 1, runs_ == 2 ? "" : "s");
    notes.push_back(
        fmt::format("{} time{} {} in {}{}", count_, count_ == 1 ? "" : "s", what, first_, others));
  }

 private:
  std::string first_;
  std::size_t runs_ = 0, count_ = 0;
};

/// A few of the times, for people.
std::string told_times(std::vector<double> const& instants, TimeScale const& scale) {
  constexpr std::size_t most = 4;
  EnsembleSummary of;
  of.times = instants;
  of.scale = scale;
  of.scale.first = 0;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, instants.size()); ++i)
    text += (i == 0 ? "" : ", ") + of.time_text(i);
  return instants.size() > most ? fmt::format("{} and {} more", text, instants.size() - most) : text;
}

std::string shape_text(std::vector<std::int64_t> const& shape) {
  std::string text;
  for (auto const extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "one value" : text;
}

void require_once(std::vector<RunList const*> const& lists) {
  std::vector<fs::path> files;
  auto const add = [&](RunFiles const& run) {
    files.insert(files.end(), run.files.begin(), run.files.end());
  };
  for (auto const* list : lists) {
    for (auto const& run : list->members) add(run);
    if (list->unperturbed) add(*list->unperturbed);
  }
  if (auto const same = io::same_file(files)) {
    auto const &first = files[same->first], &again = files[same->second];
    throw InputError(again.string() + ": stands in two places" +
                     (first == again ? "" : ", also as " + first.string()) +
                     " (a run cannot be held against itself) leave it out of one");
  }
}

/// Says of each variable what weights it, by the first run.
void name_weights(CommonGrid& grid, RunFiles const& run, Weighting const& weighting, Describing& files) {
  grid.weighting = weighting;
  std::map<std::string, std::string> weighted;  // the variables that one weights
  std::set<std::string> without_cells;          // those whose points count alike on each level
  auto by_cells = false;
  for (auto const& path : run.files) {
    auto const file = files.open(path);
    for (auto& variable : grid.variables) {
      if (!variable.weights.empty() || !file->has(variable.name)) continue;
      auto const measure = weighting.measure(*file, variable.name);
      if ((!measure || measure->factors.empty()) && is_wide(*file, variable.name))
        without_cells.insert(variable.name);
      if (!measure) continue;
      variable.weights = measure->name();
      by_cells = by_cells || !measure->factors.empty();
      auto& names = weighted[weighting.name(*measure)];
      names += (names.empty() ? "" : ", ") + variable.name;
    }
  }
  for (auto const& [weights, names] : weighted) grid.notes.push_back(names + ": weighted by " + weights);
  if (by_cells) {
    if (!without_cells.empty())
      grid.notes.push_back(fmt::format("{}: points count alike: no measure has their dimensions",
                                       fmt::join(without_cells, ", ")));
    return;
  }
  auto const first = files.open(run.files.front());
  weighting.refuse_misfit(*first);
  if (auto hint = weighting.hint(*first); !hint.empty()) grid.notes.push_back(std::move(hint));
}

}  // namespace

std::vector<RunFiles> runs_in(fs::path const& folder) {
  if (!fs::is_directory(folder)) {
    throw InputError(folder.string() +
                     ": no such folder (runs are looked for in it) name a folder of NetCDF files");
  }
  if (io::format_of(folder) == io::ForeignFormat::zarr) return {{folder.filename().string(), {folder}}};
  if (auto own = io::output_of_run(folder); !own.empty())
    return {{folder.filename().string(), std::move(own)}};
  std::vector<RunFiles> runs;
  for (auto const& path : io::sets_among(io::netcdf_files(folder)))
    runs.push_back({path.filename().string(), {path}});
  if (!runs.empty()) return runs;
  std::vector<fs::path> folders;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !is_hidden(entry.path())) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  for (auto const& inner : folders) {
    auto files = io::output_of_run(inner);
    if (files.empty()) files = io::sets_among(io::netcdf_files(inner));
    if (!files.empty()) runs.push_back({inner.filename().string(), std::move(files)});
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
  grid.files = std::make_shared<OpenFiles>(most_open_files);
  Describing files(*grid.files);
  auto const& reference = *runs.front();
  auto common = files.first(reference);
  for (auto const& name : wanted) {
    if (common.contains(name)) continue;
    std::vector<std::string> names;
    for (auto const& [other, variable] : common) names.push_back(other);
    throw InputError(reference.files.front().string() + ": no variable '" + name + "'" +
                     choices_hint(name, names));
  }
  std::erase_if(common, [&](auto const& entry) {
    return !wanted.empty() && std::ranges::find(wanted, entry.first) == wanted.end();
  });
  auto const in_time =
      std::ranges::any_of(common, [](auto const& entry) { return !entry.second.moments.empty(); });
  if (in_time) std::erase_if(common, [](auto const& entry) { return entry.second.moments.empty(); });
  Tally twice, without_time;
  // Puts the times of a run in order; what is left out counts once for all variables.
  auto const put_in_order = [&](RunFiles const& run, RunVariables& variables) {
    std::size_t most_twice = 0, most_without = 0;
    for (auto& [name, variable] : variables) {
      std::size_t left_out = 0;
      variable.moments = in_order_of_time(std::move(variable.moments), left_out);
      most_twice = std::max(most_twice, left_out);
      most_without = std::max(most_without, variable.without_time);
    }
    twice.add(run.name, most_twice);
    without_time.add(run.name, most_without);
  };
  put_in_order(reference, common);
  for (auto const& [name, variable] : common) {
    auto note = io::absent_messages(*(*grid.files)(variable.file), name);
    if (!note.empty()) grid.notes.push_back(std::move(note));
  }
  // Variables come at the times of most of them.
  std::map<std::vector<double>, std::size_t> at_times;
  for (auto const& [name, variable] : common) ++at_times[variable.instants()];
  std::vector<double> instants;
  for (auto const& [times, count] : at_times) {
    if (at_times[instants] < count || instants.empty()) instants = times;
  }
  std::erase_if(common, [&](auto const& entry) {
    if (entry.second.instants() == instants) return false;
    grid.notes.push_back(entry.first + ": left out: at other times than most variables");
    return true;
  });
  for (std::size_t number = 1; number < reference.files.size(); ++number)
    files.require_places(reference, number, common);
  if (!common.empty()) grid.axis = common.begin()->second.axis;
  auto const scale = scale_of(grid.axis);

  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto const& run = *runs[i];
    progress(double(i) / double(runs.size()), run.name);
    auto variables = files.further(run, common);
    files.wait(run);
    put_in_order(run, variables);
    for (auto entry = common.begin(); entry != common.end();) {
      auto& [name, expected] = *entry;
      auto const found = variables.find(name);
      if (found == variables.end()) {
        if (!wanted.empty())
          throw InputError(run.files.front().string() + ": no variable '" + name +
                           "' (all runs must have it) ask for those that they share");
        grid.notes.push_back(name + ": left out: " + run.name + " has none");
        grid.lacking.emplace_back(name, &run);
        entry = common.erase(entry);
        continue;
      }
      auto const& variable = found->second;
      auto const path = variable.file.string(), first_path = expected.file.string();
      if (variable.info.units != expected.info.units) {
        throw InputError(path + ": " + name + ": in '" + variable.info.units + "' ('" + expected.info.units +
                         "' in " + first_path +
                         ") bring it to the same unit, or leave it out with --variables");
      }
      if (variable.info.shape != expected.info.shape) {
        throw InputError(path + ": " + name + ": " + shape_text(variable.info.shape) + " (" +
                         shape_text(expected.info.shape) + " in " + first_path +
                         ") compare runs on one grid, or leave it out with --variables");
      }
      if (auto const misfit = misfit_of_times(expected.axis, variable.axis); !misfit.empty()) {
        throw InputError(path + ": " + name + ": " + misfit + " (held against " + first_path +
                         ") give both the same calendar and units of time");
      }
      expected.type = coarser(expected.type, variable.type);
      // Times that all runs have, in the order of the first.
      std::vector<double> kept, left_out;
      std::size_t next = 0;
      for (auto const& [here, there] : match_times(instants, variable.instants())) {
        left_out.insert(left_out.end(), instants.begin() + std::ptrdiff_t(next),
                        instants.begin() + std::ptrdiff_t(here));
        next = here + 1;
        kept.push_back(instants[here]);
      }
      left_out.insert(left_out.end(), instants.begin() + std::ptrdiff_t(next), instants.end());
      if (kept.size() < instants.size()) {
        if (kept.empty()) {
          throw InputError(path + ": " + name + ": no time in common with " + first_path +
                           " (nothing can be compared) name runs of one period");
        }
        grid.notes.push_back(fmt::format("{} times left out: {} has none of them ({})", left_out.size(),
                                         run.name, told_times(left_out, scale)));
        instants = std::move(kept);
      }
      ++entry;
    }
  }
  if (common.empty()) {
    throw InputError(
        reference.files.front().string() +
        ": shares no variable with all other runs (nothing can be compared) name files of like content");
  }
  twice.tell("written twice, of which the later writing counts,", grid.notes);
  without_time.tell("missing and left out", grid.notes);
  grid.notes.insert(grid.notes.end(), files.notes().begin(), files.notes().end());
  if (last && instants.size() > 1) instants.erase(instants.begin(), instants.end() - 1);
  for (auto const& [name, variable] : common) {
    grid.variables.push_back({.name = name,
                              .units = variable.info.units,
                              .levels = variable.levels,
                              .points = variable.info.size() / variable.levels,
                              .type = variable.type});
  }
  name_weights(grid, reference, weighting, files);
  grid.instants = instants;
  if (instants.empty()) grid.times = {not_a_number};
  for (auto const instant : instants) grid.times.push_back(instant - instants.front());
  return grid;
}

}  // namespace ulpine::verification::consistency
