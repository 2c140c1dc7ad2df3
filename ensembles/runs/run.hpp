// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::ensembles {

/// A run that started but failed (non-finite state). what() is one line. The program exits with 1.
class RunFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FieldPerturbation {
  std::string field;
  Perturbation noise;
};

/// The progress of a run.
struct RunProgress {
  double time = 0, start = 0, end = 0;  ///< s since the start of the model
  std::int64_t step = 0, steps = 0;     ///< steps of this run: done, in all (0 where steps vary)
  double wall_s = 0;
  double remaining_s = 0;  ///< estimate; infinite before the first step
};

struct RunRequest {
  CaseSource source = {};
  ModelOptions options = {};
  std::filesystem::path folder = {};
  std::string id = {};                     ///< id of a study's run; free otherwise
  std::optional<double> until = {};        ///< s since the start of the model; default: the case's `time.end`
  std::optional<std::int64_t> steps = {};  ///< ends after as many model steps instead
  std::filesystem::path restart = {};      ///< restart file to go on from; empty: the initial state
  bool convert_restart = false;            ///< accept a restart of another policy, value by value
  std::vector<FieldPerturbation> perturbations = {};  ///< to the state at the start of this run
  std::optional<double> epsilon = {};                 ///< recorded in run.json only
  std::optional<int> member = {};                     ///< recorded in run.json only
  bool trace = false;                                 ///< writes `trace.bin`
  int checkpoints = 0;  ///< restart files kept on the way (checkpoints.hpp); 0: none, and no log of hashes
  std::optional<PlantedFault> fault = {};  ///< to prove that a comparison finds it
  bool overwrite = false;                  ///< replaces also files of its names that no run wrote
  bool trap_nonfinite = false;             ///< checks for NaN and infinity every step, not only at outputs
  bool spare_threads = false;              ///< as of model_of_case()
  std::function<void(RunProgress const&)> progress =
      {};                                     ///< called after every step at most every 50 ms and at the end
  std::atomic<bool> const* cancel = nullptr;  ///< set: finish the step, write the restart, return
  /// Where another thread is to write the output: takes what writes a time of it, from values that it holds,
  /// to be called in this order and before the run is finished.
  std::function<void(std::function<void()>)> defer = {};
  std::string variant = {};  ///< of the program that the case names; empty for the model of a core
  /// Of a program: its turn, which it waits for and has while it runs, though not while its output is read
  /// and written; null: at once.
  std::counting_semaphore<>* turn = nullptr;
  int variant_ranks = 0;  ///< processes that compute it together; 0: as the case says
  /// Of a program, whose `restart` is the folder with the files that it restarts from: the time of these, s,
  /// and the instant from which its output's times count (program_time_origin()).
  double restart_time = 0;
  std::optional<double> time_origin = {};
};

/// A file that a run wrote, as it was at the end of the run.
struct WrittenFile {
  std::string name;  ///< within the run's folder
  io::FileContent content;
};

/// The content of run.json.
struct RunRecord {
  std::string id, core, case_name, case_hash, policy, assembly, device;
  std::optional<double> epsilon;
  std::optional<int> member;
  double start_s = 0, end_s = 0;  ///< model time, s
  double wall_s = 0;              ///< time of the whole run, files included
  double model_wall_s = 0;        ///< time of the model's steps alone
  std::int64_t steps = 0, cells = 0, memory_bytes = 0, peak_rss_bytes = 0;
  std::string hash;  ///< hash of the final state, 16 hex digits
  std::vector<StageCost> stages;
  std::vector<StageOverride> stage_policies;  ///< stages in another policy than the run's
  double copy_bandwidth = 0;  ///< of the device, bytes (read and written) per s; 0 on the host
  std::vector<Integral> initial, final;
  std::uint64_t seed = 0;              ///< of the noise; 0 without any
  std::vector<std::string> perturbed;  ///< fields that got it
  std::vector<WrittenFile> files;      ///< `output.nc` first
  std::optional<std::string> failed;   ///< why, where it failed
  bool interrupted = false;            ///< run.json is not written then
  /// Steps vary, and the last ones were cut to end where the run does: a run that goes on beyond takes
  /// others.
  bool cut_short = false;
  std::vector<std::pair<std::string, std::string>> provenance;  ///< io::Provenance::items()
};

inline constexpr std::int64_t least_cells = 1024;  ///< for which another thread is worth its waits

/// The model of a case. With `spare_threads` on fewer host threads than `options` name where not all of them
/// have least_cells; `options` then name as many as it has. Teams on small grids wait more than they work,
/// and where other programs keep the processors busy each wait may take a slice of time.
std::unique_ptr<Model> model_of_case(io::CaseFile const& case_file, ModelOptions& options,
                                     bool spare_threads);

/// Runs the model of the case from the start (or `restart`) to `until` and writes into `folder`: `output.nc`
/// (the start, every `output.interval` and the end), `restart.nc`, `run.json`, with `trace` also `trace.bin`.
/// run.json is written last and atomically: its presence marks a run that has come to its end. What another
/// run has left there stays until this one can start, with its first output written; then all of it is
/// removed or, when going on from a restart, kept under a number (`output-N.nc`). InputError, also where the
/// folder holds what the run may not replace (run_folder.hpp); EnvironmentError; RunFailed after run.json
/// recorded the failure.
RunRecord run(RunRequest const& request);

/// Writes a sealed run.json, atomically.
void write_run(std::filesystem::path const& run_json, RunRecord const& record);
/// InputError where missing, altered or of another schema.
RunRecord read_run(std::filesystem::path const& run_json);

/// Nothing where `output.nc` in the run's folder is the file that the run wrote; else what is wrong with it,
/// as one line. Reads the whole file.
std::optional<std::string> output_problem(std::filesystem::path const& folder, RunRecord const& record);

/// The provenance of a run with these options.
io::Provenance provenance_of(ModelOptions const& options, std::string const& case_hash);

/// When the steps of `step` s that make `seconds` end, s; where steps vary (0), `seconds` itself. InputError
/// as whole_steps().
double time_of_steps(double seconds, double step, std::string const& what);

/// `seconds` in model steps from time 0; InputError where they are no multiple of `step` (both s), longer
/// than longest_time or more than 2^53 steps, naming `what`.
std::int64_t whole_steps(double seconds, double step, std::string const& what);

}  // namespace ulpine::ensembles
