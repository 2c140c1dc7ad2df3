// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "core/devices.hpp"
#include "ensembles/files.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/run.hpp"
#include "ensembles/shell.hpp"
#include "io/error.hpp"
#include "io/temporary.hpp"
#include "ulpine_version.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// What the study asks for, without its runs. The reference model is built on the host to check the case
/// against its core: where a study is planned there may be no GPU.
Manifest wanted_manifest(CaseSource const& source, StudyPlan const& plan) {
  auto const case_file = source.load();
  ModelOptions options;
  auto const model = make_model(case_file, options);
  if (plan.options.until) {
    whole_steps(*plan.options.until, model->time_step(), "--until");
  } else {
    whole_steps(end_time(case_file), model->time_step(), case_file.path().string() + ": time.end");
  }
  Manifest manifest;
  manifest.plan.options = plan.options;
  manifest.plan.reference = plan.reference;
  auto& fields = manifest.plan.options.perturb;
  auto const known = model->perturbable();
  if (fields.empty()) {
    fields = known;
  }
  for (auto const& field : fields) {
    if (std::find(known.begin(), known.end(), field) == known.end()) {
      throw InputError("the model cannot perturb '" + field + "'" + choices_hint(field, known));
    }
  }
  manifest.core = model->core();
  manifest.case_name = case_file.name();
  manifest.case_text = case_file.resolved();
  manifest.case_hash = io::hex(case_file.hash());
  manifest.version = fmt::format("{} ({})", build::version, build::commit);
  return manifest;
}

RunRequest request_of(PlannedRun const& run, StudyOptions const& options, fs::path const& study) {
  RunRequest request;
  request.source = {study / "case.toml"};
  request.options = {run.policy, run.assembly, options.device, options.threads, options.block};
  request.folder = study / run.path;
  request.id = run.id;
  request.until = options.until;
  request.member = run.member;
  if (run.epsilon) {
    request.epsilon = run.epsilon->value;
    for (auto const& field : options.perturb) {
      // The noise of a member is the same for every policy and amplitude but for its size: policies are
      // compared pair by pair.
      request.perturbations.push_back(
          {field, {options.seed, static_cast<std::uint32_t>(run.member.value_or(0)), run.epsilon->value}});
    }
  }
  return request;
}

/// Whether there is nothing in the folder but a lock and what a killed write may have left.
bool is_vacant(fs::path const& folder) {
  if (!fs::exists(folder)) {
    return true;
  }
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator{},
                     [](fs::directory_entry const& entry) {
                       auto const name = entry.path().filename();
                       return name == FolderLock::file_name || io::is_temporary(name);
                     });
}

/// At least this long between two writings of the manifest, s, and this many times what one takes: a study
/// of many runs must not spend its time on it. What a kill makes it miss is in the runs' own records.
constexpr double manifest_interval_s = 2, manifest_interval_writings = 20;

/// Runs what is open on `jobs` host threads.
class Scheduler {
 public:
  Scheduler(Manifest manifest, StudyOptions options, fs::path folder, StudyExecution const& execution)
      : manifest_{std::move(manifest)},
        options_{std::move(options)},
        folder_{std::move(folder)},
        execution_{execution} {
    auto const share = execution.only.value_or(Share{});
    for (std::size_t i = 0; i < manifest_.entries.size(); ++i) {
      if (!share.holds(i)) {
        continue;
      }
      if (manifest_.entries[i].state == RunState::done) {
        ++kept_;
      } else {
        open_.push_back(i);
      }
    }
  }

  StudyOutcome run() {
    tell("");
    auto const jobs =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(execution_.jobs, 1)), open_.size());
    std::vector<std::thread> team;
    try {
      for (std::size_t job = 0; job < jobs; ++job) {
        team.emplace_back([this] { work(); });
      }
    } catch (std::system_error const& problem) {
      std::lock_guard const lock(mutex_);
      error_ = std::make_exception_ptr(EnvironmentError(
          fmt::format("cannot start {} threads ({}) use fewer --jobs", jobs, problem.code().message())));
    }
    for (auto& thread : team) {
      thread.join();
    }
    keep_manifest(true);
    if (error_) {
      std::rethrow_exception(error_);
    }
    StudyOutcome outcome{done_, kept_, failed_, static_cast<int>(open_.size()) - done_ - failed_ - kept_late_,
                         false};
    outcome.interrupted = outcome.planned > 0;
    return outcome;
  }

 private:
  bool cancelled() const { return execution_.cancel != nullptr && execution_.cancel->load(); }

  void work() {
    while (true) {
      std::size_t turn = 0;
      {
        std::lock_guard const lock(mutex_);
        if (next_ == open_.size() || error_ || cancelled()) {
          return;
        }
        turn = next_++;
        ++running_;
      }
      try {
        if (take(turn)) {
          one(turn);
        }
      } catch (...) {
        std::lock_guard const lock(mutex_);
        error_ = error_ ? error_ : std::current_exception();
      }
    }
  }

  /// Takes the run among the processes that have shares of the study; false where another has done it since
  /// the study was looked at.
  bool take(std::size_t turn) {
    if (!execution_.only || execution_.lock == nullptr) {
      return true;
    }
    auto& entry = manifest_.entries[open_[turn]];
    execution_.lock->take(open_[turn], entry.run.id);
    refresh_state(folder_, manifest_, entry);
    if (entry.state != RunState::done) {
      return true;
    }
    execution_.lock->release(open_[turn]);
    std::lock_guard const lock(mutex_);
    --running_;
    ++kept_;
    ++kept_late_;
    return false;
  }

  void one(std::size_t turn) {
    auto& entry = manifest_.entries[open_[turn]];
    io::remove_temporaries(folder_ / entry.run.path);
    auto request = request_of(entry.run, options_, folder_);
    request.trap_nonfinite = execution_.trap_nonfinite;
    request.cancel = execution_.cancel;
    request.progress = [this, turn](RunProgress const& progress) {
      std::lock_guard const lock(mutex_);
      fractions_[turn] =
          progress.steps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.steps) : 1;
      tell("");
    };
    std::string event;
    std::exception_ptr fatal;
    auto result = ManifestEntry{entry.run};
    try {
      auto const record = ensembles::run(request);
      if (!record.interrupted) {
        result.state = RunState::done;
        result.hash = record.hash;
        result.wall_s = record.wall_s;
      }
    } catch (EnvironmentError const&) {
      fatal = std::current_exception();
    } catch (std::bad_alloc const&) {
      fatal = std::make_exception_ptr(
          EnvironmentError("out of memory (several runs side by side) use fewer --jobs"));
    } catch (std::exception const& problem) {
      result.state = RunState::failed;
      result.reason = problem.what();
      event = entry.run.id + " failed: " + problem.what();
    }
    if (execution_.only && execution_.lock != nullptr) {
      execution_.lock->release(open_[turn]);
    }
    std::lock_guard const lock(mutex_);
    --running_;
    if (fatal) {
      error_ = error_ ? error_ : fatal;
      return;
    }
    done_ += result.state == RunState::done ? 1 : 0;
    failed_ += result.state == RunState::failed ? 1 : 0;
    if (result.state != RunState::planned) {
      fractions_.erase(turn);
    }
    entry = std::move(result);
    keep_manifest(false);
    tell(event);
  }

  /// Called under the lock (or after the team's end). `last`: whatever the time, and in silence where an
  /// error is to be told anyway.
  void keep_manifest(bool last) {
    using Clock = std::chrono::steady_clock;
    auto const since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    if (execution_.only || (!last && since(manifest_written_) < manifest_interval_s_)) {
      return;
    }
    try {
      auto const begin = Clock::now();
      write_manifest(folder_, manifest_);
      manifest_interval_s_ = std::max(manifest_interval_s, manifest_interval_writings * since(begin));
    } catch (...) {
      error_ = error_ ? error_ : std::current_exception();
    }
    manifest_written_ = Clock::now();
  }

  /// Called under the lock (or before the team starts).
  void tell(std::string const& event) {
    if (!execution_.progress) {
      return;
    }
    StudyProgress progress;
    progress.total = static_cast<int>(open_.size()) + kept_ - kept_late_;
    progress.kept = kept_;
    progress.done = done_;
    progress.failed = failed_;
    progress.running = running_;
    auto sum = static_cast<double>(done_ + failed_ + kept_late_);
    for (auto const& [turn, fraction] : fractions_) sum += fraction;
    progress.fraction = open_.empty() ? 1 : sum / static_cast<double>(open_.size());
    progress.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    progress.remaining_s = progress.fraction > 0 ? progress.wall_s * (1 / progress.fraction - 1)
                                                 : std::numeric_limits<double>::infinity();
    progress.event = event;
    execution_.progress(progress);
  }

  Manifest manifest_;
  StudyOptions options_;
  fs::path folder_;
  StudyExecution const& execution_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::size_t> open_;
  std::map<std::size_t, double> fractions_;  ///< of the runs under way, by their place in open_
  std::size_t next_ = 0;
  int kept_ = 0, kept_late_ = 0;  ///< kept_late_: of kept_, those found done when their turn came
  int done_ = 0, failed_ = 0, running_ = 0;
  std::chrono::steady_clock::time_point manifest_written_ = begin_;
  double manifest_interval_s_ = manifest_interval_s;
  std::exception_ptr error_;
};

/// `text` reduced to what any reader of a job's name takes for a plain word.
std::string job_name(std::string const& text) {
  auto name = text.substr(0, 40);
  for (auto& letter : name) {
    auto const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    letter = plain ? letter : '_';
  }
  return name;
}

/// The folder as it stands in double quotes in a line of #SBATCH, where % begins a placeholder and quotes,
/// backslashes and line breaks cannot be meant literally.
std::string log_pattern(fs::path const& folder) {
  std::string pattern;
  for (auto const letter : folder.string()) {
    if (letter == '"' || letter == '\'' || letter == '\\' || static_cast<unsigned char>(letter) < 0x20 ||
        letter == 0x7f) {
      throw InputError(
          "the folder of a study for SLURM has a quote, backslash or control character in its "
          "name (a line of #SBATCH cannot hold it) use another folder");
    }
    pattern += letter == '%' ? std::string("%%") : std::string(1, letter);
  }
  return pattern;
}

}  // namespace

Manifest prepare_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder, bool resume,
                       std::atomic<bool> const* cancel, Share share) {
  auto wanted = wanted_manifest(source, plan);
  stop_where(cancel);
  if (resume && fs::exists(folder / "manifest.json")) {
    auto stored = read_manifest(folder, cancel);
    require_same_study(folder, stored, wanted);
    if (!fs::exists(folder / "case.toml")) {
      write_atomically(folder / "case.toml", stored.case_text);
    }
    require_same_case(folder, stored);
    refresh_states(folder, stored, cancel, share);
    return stored;
  }
  auto const list_runs = [&] {
    wanted.entries.reserve(plan.runs.size());
    for (auto const& run : plan.runs) {
      wanted.entries.push_back({run});
    }
  };
  if (resume && fs::exists(folder / "case.toml")) {
    // A study whose manifest was lost or taken away because it was damaged.
    require_same_case(folder, wanted);
    list_runs();
    require_own_runs(folder, wanted);
    refresh_states(folder, wanted, cancel);
    write_manifest(folder, wanted, cancel);
    return wanted;
  }
  if (!is_vacant(folder)) {
    throw InputError(folder.string() + ": is not empty (" +
                     (fs::exists(folder / "manifest.json")
                          ? "it holds a study) go on with --resume or name another folder"
                          : "it holds no study) name another folder"));
  }
  list_runs();
  make_folder(folder);
  // The manifest first: what a kill leaves between the two can be resumed.
  write_manifest(folder, wanted, cancel);
  write_atomically(folder / "case.toml", wanted.case_text);
  return wanted;
}

void clear_study(fs::path const& folder) {
  io::remove_temporaries(folder);
  std::error_code ignored;
  for (auto const* const part : {"runs", "members"}) {
    for (fs::recursive_directory_iterator entry(folder / part, ignored), end; entry != end;
         entry.increment(ignored)) {
      if (entry->is_directory(ignored)) {
        io::remove_temporaries(entry->path());
      }
    }
  }
}

StudyOutcome run_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder,
                       StudyExecution const& execution) {
  if (auto const ordinal = device_ordinal(plan.options.device); ordinal >= 0) {
    require_device(ordinal);
  }
  if (execution.only && !fs::exists(folder / "manifest.json")) {
    throw InputError(folder.string() +
                     ": is no study yet (shares of one are to be run) plan it first with --slurm");
  }
  auto manifest = prepare_study(source, plan, folder, execution.resume, execution.cancel,
                                execution.only.value_or(Share{}));
  auto options = plan.options;  // device and threads of this call, the rest is the manifest's
  options.perturb = manifest.plan.options.perturb;
  return Scheduler(std::move(manifest), std::move(options), folder, execution).run();
}

SlurmScripts write_slurm_scripts(fs::path const& folder, Manifest const& manifest, std::string const& program,
                                 std::vector<std::string> const& arguments) {
  auto const study = fs::absolute(folder).lexically_normal();
  auto const& options = manifest.plan.options;
  auto const runs = manifest.entries.size();
  auto command = fmt::format("{} ensemble", shell_quoted(program));
  for (auto const& argument : arguments) {
    command += fmt::format(" {}", shell_quoted(argument));
  }
  auto const resources = options.device == "cpu" ? fmt::format("--cpus-per-task={}", options.threads)
                                                 : std::string("--gpus-per-task=1");
  auto const name = job_name(manifest.case_name);
  auto const logs = log_pattern(study);
  // Relative paths among the arguments are meant as they were when the study was planned.
  auto const here = fmt::format("set -eu\ncd {}\n", shell_quoted(fs::current_path().string()));
  SlurmScripts scripts;
  scripts.array = study / "study.sbatch";
  scripts.report = study / "report.sbatch";
  write_atomically(
      scripts.array,
      fmt::format("#!/bin/bash\n"
                  "# One task a run of the study; a task that was lost is repeated by submitting again.\n"
                  "#SBATCH --job-name=ulpine-{}\n"
                  "#SBATCH --array=0-{}\n"
                  "#SBATCH --ntasks=1\n"
                  "#SBATCH {}\n"
                  "#SBATCH --output=\"{}/slurm-%A-%a.log\"\n"
                  "{}"
                  "{} --resume --only \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                  name, runs - 1, resources, logs, here, command, runs));
  write_atomically(scripts.report,
                   fmt::format("#!/bin/bash\n"
                               "#SBATCH --job-name=ulpine-{}-report\n"
                               "#SBATCH --ntasks=1\n"
                               "#SBATCH --output=\"{}/slurm-%j-report.log\"\n"
                               "{}"
                               "{} report {}\n",
                               name, logs, here, shell_quoted(program), shell_quoted(study.string())));
  scripts.hint = fmt::format("array=$(sbatch --parsable {}) && sbatch --dependency=afterany:$array {}",
                             shell_quoted(scripts.array.string()), shell_quoted(scripts.report.string()));
  return scripts;
}

}  // namespace ulpine::ensembles
