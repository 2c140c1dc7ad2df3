// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "core/devices.hpp"
#include "ensembles/files.hpp"
#include "ensembles/run.hpp"
#include "io/error.hpp"
#include "ulpine_version.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// What the study asks for. The reference model is built on the host to check the case against its core:
/// where a study is planned there may be no GPU.
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
  manifest.plan = plan;
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
  for (auto const& run : manifest.plan.runs) {
    manifest.entries.push_back({run});
  }
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

/// Whether there is nothing in the folder but what a killed write may have left.
bool is_vacant(fs::path const& folder) {
  if (!fs::exists(folder)) {
    return true;
  }
  return std::all_of(fs::directory_iterator(folder), fs::directory_iterator{},
                     [](fs::directory_entry const& entry) { return entry.path().extension() == ".tmp"; });
}

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
      if (!share.contains(i)) {
        continue;
      }
      if (manifest_.entries[i].state == RunState::done) {
        ++kept_;
      } else {
        open_.push_back(i);
      }
    }
    fractions_.resize(open_.size());
  }

  StudyOutcome run() {
    tell("");
    auto const jobs =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(execution_.jobs, 1)), open_.size());
    std::vector<std::thread> team;
    for (std::size_t job = 0; job < jobs; ++job) {
      team.emplace_back([this] { work(); });
    }
    for (auto& thread : team) {
      thread.join();
    }
    if (error_) {
      std::rethrow_exception(error_);
    }
    StudyOutcome outcome{done_, kept_, failed_, static_cast<int>(open_.size()) - done_ - failed_, false};
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
      one(turn);
    }
  }

  void one(std::size_t turn) {
    auto& entry = manifest_.entries[open_[turn]];
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
    std::lock_guard const lock(mutex_);
    --running_;
    if (fatal) {
      error_ = error_ ? error_ : fatal;
      return;
    }
    done_ += result.state == RunState::done ? 1 : 0;
    failed_ += result.state == RunState::failed ? 1 : 0;
    fractions_[turn] = result.state == RunState::planned ? fractions_[turn] : 1;
    entry = std::move(result);
    try {
      if (!execution_.only) {
        write_manifest(folder_, manifest_);
      }
      tell(event);
    } catch (...) {
      error_ = error_ ? error_ : std::current_exception();
    }
  }

  /// Called under the lock (or before the team starts).
  void tell(std::string const& event) {
    if (!execution_.progress) {
      return;
    }
    StudyProgress progress;
    progress.total = static_cast<int>(open_.size()) + kept_;
    progress.kept = kept_;
    progress.done = done_;
    progress.failed = failed_;
    progress.running = running_;
    auto sum = 0.0;
    for (auto const fraction : fractions_) sum += fraction;
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
  std::vector<double> fractions_;
  std::size_t next_ = 0;
  int kept_ = 0, done_ = 0, failed_ = 0, running_ = 0;
  std::exception_ptr error_;
};

/// `text` as one word of a POSIX shell.
std::string quoted(std::string const& text) {
  std::string word = "'";
  for (auto const letter : text) {
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return word + "'";
}

}  // namespace

Share parse_share(std::string const& text) {
  Share share;
  auto const* const end = text.data() + text.size();
  auto const [slash, error] = std::from_chars(text.data(), end, share.index);
  if (error == std::errc{} && slash != end && *slash == '/') {
    auto const [rest, second] = std::from_chars(slash + 1, end, share.count);
    if (second == std::errc{} && rest == end && share.index >= 0 && share.index < share.count) {
      return share;
    }
  }
  throw InputError("share '" + text + "' is none (I/N with 0 <= I < N is needed) write e.g. 0/24");
}

Manifest prepare_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder, bool resume,
                       Share const& share) {
  auto wanted = wanted_manifest(source, plan);
  if (resume && fs::exists(folder / "manifest.json")) {
    auto stored = read_manifest(folder);
    require_same_study(stored, wanted);
    if (!fs::exists(folder / "case.toml")) {
      write_atomically(folder / "case.toml", stored.case_text);
    }
    require_same_case(folder, stored);
    refresh_states(folder, stored, share);
    return stored;
  }
  if (resume && fs::exists(folder / "case.toml")) {
    // A study whose manifest was lost or taken away because it was damaged.
    require_same_case(folder, wanted);
    require_own_runs(folder, wanted);
    refresh_states(folder, wanted);
    write_manifest(folder, wanted);
    return wanted;
  }
  if (!is_vacant(folder)) {
    throw InputError(folder.string() + ": is not empty (" +
                     (fs::exists(folder / "manifest.json")
                          ? "it holds a study) go on with --resume or name another folder"
                          : "it holds no study) name another folder"));
  }
  make_folder(folder);
  // The manifest first: what a kill leaves between the two can be resumed.
  write_manifest(folder, wanted);
  write_atomically(folder / "case.toml", wanted.case_text);
  return wanted;
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
  auto manifest = prepare_study(source, plan, folder, execution.resume, execution.only.value_or(Share{}));
  auto options = plan.options;  // device and threads of this call, the rest is the manifest's
  options.perturb = manifest.plan.options.perturb;
  if (!execution.only) {
    write_manifest(folder, manifest);
  }
  return Scheduler(std::move(manifest), std::move(options), folder, execution).run();
}

SlurmScripts write_slurm_scripts(fs::path const& folder, Manifest const& manifest, std::string const& program,
                                 std::vector<std::string> const& arguments) {
  auto const study = fs::absolute(folder).lexically_normal();
  auto const& options = manifest.plan.options;
  auto const runs = manifest.entries.size();
  auto command = fmt::format("{} ensemble", quoted(program));
  for (auto const& argument : arguments) {
    command += fmt::format(" {}", quoted(argument));
  }
  auto const resources = options.device == "cpu" ? fmt::format("--cpus-per-task={}", options.threads)
                                                 : std::string("--gpus-per-task=1");
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
                  "#SBATCH --output={}\n"
                  "set -eu\n"
                  "{} --resume --only \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                  manifest.case_name, runs - 1, resources, (study / "slurm-%A-%a.log").string(), command,
                  runs));
  write_atomically(scripts.report, fmt::format("#!/bin/bash\n"
                                               "#SBATCH --job-name=ulpine-{}-report\n"
                                               "#SBATCH --ntasks=1\n"
                                               "#SBATCH --output={}\n"
                                               "set -eu\n"
                                               "{} report {}\n",
                                               manifest.case_name, (study / "slurm-%j-report.log").string(),
                                               quoted(program), quoted(study.string())));
  scripts.hint = fmt::format("array=$(sbatch --parsable {}) && sbatch --dependency=afterany:$array {}",
                             quoted(scripts.array.string()), quoted(scripts.report.string()));
  return scripts;
}

}  // namespace ulpine::ensembles
