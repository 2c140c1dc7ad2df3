// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/consistency/data.hpp"
#include "verification/consistency/open_files.hpp"
#include "verification/consistency/run_times.hpp"
#include "verification/metrics/weighting.hpp"

namespace ulpine::verification::consistency {

/// Files that runs on one grid keep open, but for those of classic formats and those that wait to be read
/// (OpenFiles); two more are open while these two are compared.
inline constexpr std::size_t most_open_files = 14;
/// Values of a field, and weights, that are in memory at once: 32 MiB in all.
inline constexpr std::int64_t most_values_held = std::int64_t{1} << 21;

/// A run and its files, in the order of their names: times follow each other from file to file.
struct RunFiles {
  std::string name;
  std::vector<std::filesystem::path> files;
};

/// The runs of a folder of NetCDF files, in the order of their names: each file is one, and so are the tiles
/// or the ranks' parts of one (io::sets_among()); where the folder holds none, each folder in it that does. A
/// file is NetCDF by its first bytes, whatever its name, or by its name (.nc, .nc4, .cdf, .netcdf), so that a
/// damaged one is not passed over. Hidden files and folders are left
/// out. Of the folder of a run of Ulpine, and of those in a folder of such, it is the output in all its parts
/// (output_of_run()). InputError where there is no such folder or no run.
std::vector<RunFiles> runs_in(std::filesystem::path const& folder);

/// Runs that belong together.
struct RunList {
  std::vector<RunFiles> members;
  std::optional<RunFiles> unperturbed;
};

/// The variables (of one shape and unit) and the times that all runs have.
struct CommonGrid {
  std::vector<VariableInfo> variables;
  std::vector<double> times;       ///< s since the first; one NaN where no variable has a time axis
  std::vector<std::string> notes;  ///< what was left out, and why, for people
  std::vector<double> instants;    ///< absolute times: s since 1970 of the calendar, or as files count
  io::TimeAxis axis = {};          ///< axis of the first run, with its first time alone; no time: no axis
  Weighting weighting;             ///< the weighting of all runs
  std::shared_ptr<OpenFiles> files = {};  ///< open ones of all runs on the grid; may be empty
  /// Names of variables that all runs before it have and this one lacks; they are left out.
  std::vector<std::pair<std::string, RunFiles const*>> lacking = {};
};

/// Says how far reading is: a share of all, and what is read. What it throws ends the reading.
using ReadingProgress = std::function<void(double fraction, std::string const& what)>;

/// `variables`: those asked for; empty: all that every run has and that change in time (of files without time
/// axis: all). InputError, with file and variable, where units, shapes, order of dimensions, places
/// (Matching) or calendars differ, one asked for is missing, a file stands in two places, nothing is common,
/// or weights that were named fit no variable. `last`: the last common time alone. As many files are
/// open at once as OpenFiles keeps, and two.
CommonGrid common_grid(std::vector<RunList const*> const& lists, std::vector<std::string> const& variables,
                       bool last, Weighting const& weighting, ReadingProgress const& progress);

/// Runs on a common grid, read as they are needed: of all groups on it as many files are open at once as
/// OpenFiles keeps.
class RunGroup final : public FieldSource {
 public:
  RunGroup(RunList list, CommonGrid const& grid);
  ~RunGroup() override;

  /// Reads every field once, several runs at the same time: the same bits on any number of threads.
  /// `progress` is called on the calling one. InputError.
  EnsembleSummary summary(ReadingProgress const& progress,
                          std::size_t threads = std::thread::hardware_concurrency()) const;
  /// InputError, with file and variable, where a field of a run is empty (all values missing) that has values
  /// in others. `summary` is that of these runs.
  void require_values(EnsembleSummary const& summary) const;

  void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
            std::span<double> values) const override;
  void read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                        std::span<double> values) const override;
  void read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const override;

 private:
  RunFiles const& run_of(std::size_t run) const;
  /// The places of all common times of a variable in a run.
  using Places = std::shared_ptr<std::vector<Moment> const>;
  Places places_of(RunFiles const& run, std::size_t variable) const;
  Moment place_of(RunFiles const& run, std::size_t variable, std::size_t time) const;
  void read_from(RunFiles const& run, std::size_t variable, std::size_t time, std::int64_t first,
                 std::span<double> values) const;
  struct Buffers;
  RunSummary summarise(RunFiles const& run, Buffers& buffers) const;
  VariableSummary summarise(io::InputFile const& file, std::int64_t time, std::size_t variable,
                            Buffers& buffers) const;

  RunList list_;
  CommonGrid grid_;
  std::shared_ptr<OpenFiles> files_;
  mutable std::mutex mutex_;
  mutable std::list<std::pair<std::pair<RunFiles const*, std::size_t>, Places>> places_;  ///< last used first
};

}  // namespace ulpine::verification::consistency
