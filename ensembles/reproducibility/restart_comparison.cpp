// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/restart_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "core/exec/device.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run_folder.hpp"
#include "ensembles/runs/stops.hpp"
#include "ensembles/study/unchanged_runs.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/own_files.hpp"
#include "io/restart.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

using Clock = std::chrono::steady_clock;

/// Takes the model to `end` s with the steps of a run that has outputs every `interval` s; false where the
/// request was cancelled on the way.
bool advance_to(Model& model, double interval, double end, RestartRequest const& request,
                std::string const& what) {
  Stops const stops(model, interval, end);
  auto const begin = Clock::now();
  auto const start = model.time();
  auto const first = model.step();
  auto const step = model.time_step();
  auto const steps = step > 0 ? std::llround((end - start) / step) : 0;
  while (model.time() + step / 2 < end) {
    if (request.cancel != nullptr && request.cancel->load()) {
      return false;
    }
    model.take_step(stops.next(model.time()));
    if (request.progress) {
      auto const wall = std::chrono::duration<double>(Clock::now() - begin).count();
      request.progress(what, {model.time(), start, end, model.step() - first, steps, wall,
                              wall / (model.time() - start) * (end - model.time())});
    }
  }
  return true;
}

ModelOptions options_of(RestartRequest const& request, Configuration const& configuration) {
  return model_options(configuration, request.threads, request.block);
}

constexpr char const* reference_name = "reference";

/// Whether a folder is the run of a comparison, which has its configuration's name, and nothing else.
bool is_run_of_comparison(std::filesystem::path const& folder) {
  auto const record = folder / "run.json";
  if (!io::has_signature(record, io::signatures::run)) return false;
  try {
    auto const id = read_run(record).id;
    auto const name = folder.filename();
    return !id.empty() && (name == reference_name || name == path_text(id)) && is_whole_run(folder, id);
  } catch (InputError const&) {
    return false;
  }
}

/// The files of a comparison: under temporary names until all of it is done.
class ComparisonFiles {
 public:
  /// InputError where something of their names is another's.
  explicit ComparisonFiles(RestartRequest const& request) : folder_{request.folder}, spinup_{spinup()} {
    io::require_replaceable(spinup(), io::signatures::restart, io::overwrite_if(request.overwrite));
    io::require_no_input(spinup(), std::array{request.source.path});
    require_free(folder_ / reference_name);
    for (auto const& test : request.tests) require_free(folder_ / path_text(to_text(test)));
  }
  std::filesystem::path const& begun_spinup() const { return spinup_.begun(); }
  /// The folder in which the run of that name is to be written.
  std::filesystem::path run(std::string const& name) { return runs_.emplace_back(folder_ / name).begun(); }
  /// Puts all of them in the place of an earlier comparison's, which its spinup.nc marks: a run of other
  /// tests would be left beside those of this one.
  void place() {
    std::vector<std::filesystem::path> earlier;
    for (auto const& entry : std::filesystem::directory_iterator(folder_)) {
      if (!io::is_temporary(entry.path().filename()) && is_run_of_comparison(entry.path())) {
        earlier.push_back(entry.path());
      }
    }
    for (auto const& run : earlier) {
      // Out of the way at once; removed as a whole.
      io::BegunFile const aside(folder_ / ("earlier-" + run.filename().string()));
      std::filesystem::rename(run, aside.begun());
    }
    spinup_.place();
    for (auto& run : runs_) run.place();
    runs_.clear();
  }

 private:
  std::filesystem::path spinup() const { return folder_ / "spinup.nc"; }
  void require_free(std::filesystem::path const& run) const {
    if (std::filesystem::exists(std::filesystem::symlink_status(run)) && !is_run_of_comparison(run)) {
      throw InputError(run.string() +
                       ": would be replaced (it is not the run of a comparison alone) move it, or name "
                       "another folder");
    }
  }

  std::filesystem::path folder_;
  io::BegunFile spinup_;
  std::vector<io::BegunFile> runs_;
};

RunRecord run_one(RestartRequest const& request, Configuration const& configuration,
                  std::filesystem::path const& spinup, std::filesystem::path const& folder) {
  RunRequest run_request;
  run_request.source = request.source;
  run_request.options = options_of(request, configuration);
  run_request.spare_threads = request.spare_threads && configuration.size == 0;
  run_request.folder = folder;
  run_request.id = to_text(configuration);
  run_request.until = request.until;
  run_request.restart = spinup;
  run_request.convert_restart = true;
  run_request.cancel = request.cancel;
  if (request.progress) {
    run_request.progress = [&](RunProgress const& progress) {
      request.progress(to_text(configuration), progress);
    };
  }
  return run(run_request);
}

}  // namespace

RestartResult compare_restarts(RestartRequest const& request) {
  auto const case_file = request.source.load();
  auto options = options_of(request, request.reference);
  auto const model = model_of_case(case_file, options, request.spare_threads && request.reference.size == 0);
  auto const spinup = time_of_steps(request.spinup, model->time_step(), "--spinup");
  auto const until = time_of_steps(request.until, model->time_step(), "--until");
  auto const interval = time_of_steps(output_interval(case_file), model->time_step(), "output.interval");
  if (until <= spinup) {
    throw InputError(
        fmt::format("--until {} s is not after --spinup {} s (nothing would be compared) give a later one",
                    request.until, request.spinup));
  }
  for (auto test = request.tests.begin(); test != request.tests.end(); ++test) {
    if (std::find(request.tests.begin(), test, *test) != test) {
      throw InputError(fmt::format("test {} is given twice (its files would be overwritten) name it once",
                                   to_text(*test)));
    }
  }
  for (auto const& test : request.tests) {
    if (auto const ordinal = device_ordinal(test.device); ordinal >= 0) {
      require_device(ordinal);
    }
  }
  RestartResult result;
  result.spinup = request.spinup;
  result.until = request.until;
  result.reference = to_text(request.reference);
  result.cut_short = !Stops(*model, interval, until).recurs(spinup);
  make_folder(request.folder);
  io::remove_temporaries(request.folder);
  ComparisonFiles files(request);

  auto const stopped = [&] {
    result.interrupted = true;
    return result;
  };
  if (!advance_to(*model, interval, spinup, request, "spin-up")) {
    return stopped();
  }
  auto provenance = io::build_provenance();
  provenance.device = request.reference.device;
  provenance.policy = request.reference.policy;
  provenance.assembly = name_of(request.reference.assembly);
  provenance.case_hash = io::hex(case_file.hash());
  io::write_restart(files.begun_spinup(), *model->state(), provenance);
  FieldsAt const spun_up(*model);

  if (!advance_to(*model, interval, until, request, "reference without restart")) {
    return stopped();
  }
  if (auto const what = model->invalid_value(); !what.empty()) {
    throw RunFailed(fmt::format(
        "the reference {} is invalid at {} s: {} (the time step may be too long) shorten time.step",
        result.reference, request.until, what));
  }
  auto const reference_folder = files.run(reference_name);
  auto const reference = [&] {
    try {
      return run_one(request, request.reference, files.begun_spinup(), reference_folder);
    } catch (RunFailed const&) {
      files.place();  // its record tells why
      throw;
    }
  }();
  if (reference.interrupted) {
    return stopped();
  }
  result.reference_hash = reference.hash;
  result.restart_exact = reference.hash == io::hex(model->state_hash());
  result.unchanged = spun_up.unchanged(*model);
  result.must_be_exact = request.reference.assembly == Assembly::deterministic;

  for (auto const& configuration : request.tests) {
    RestartTestResult test{configuration, {}};
    auto const folder = files.run(path_text(to_text(configuration)));
    try {
      auto const record = run_one(request, configuration, files.begun_spinup(), folder);
      if (record.interrupted) {
        return stopped();
      }
      test.hash = record.hash;
      test.same_bits = record.hash == reference.hash && configuration.policy == request.reference.policy;
      test.comparison = verification::compare(io::InputFile(reference_folder / "output.nc"),
                                              io::InputFile(folder / "output.nc"));
    } catch (RunFailed const& failure) {
      test.failed = failure.what();
    }
    result.tests.push_back(std::move(test));
  }
  files.place();
  return result;
}

bool RestartResult::passed() const {
  return (restart_exact || !must_be_exact) &&
         std::none_of(tests.begin(), tests.end(),
                      [](RestartTestResult const& test) { return test.failed.has_value(); });
}

std::string table(RestartResult const& result) {
  auto text =
      fmt::format("Spin-up {} s with {}, all restarted from it, compared at all outputs until {} s.\n",
                  result.spinup, result.reference, result.until);
  if (result.must_be_exact) {
    text += result.restart_exact
                ? "The restart is exact: the reference ends with the same bits with and without it.\n"
                : "The restart is NOT exact: the reference ends with other bits through the restart file.\n";
    if (result.cut_short) {
      text += fmt::format(
          "Steps vary, and {} s is no time at which they end anyway: the last one before was cut short in "
          "both. A "
          "run that does not stop there ends with other bits.\n",
          result.spinup);
    }
  } else {
    text += fmt::format(
        "The reference ends with {} bits with and without the restart; in atomic assembly they need not "
        "agree.\n",
        result.restart_exact ? "the same" : "other");
  }
  if (result.unchanged) {
    text +=
        "Nothing happened after the spin-up: the reference's fields end as they were then, so that "
        "equal "
        "bits show nothing. Give the case something to do.\n";
  }
  for (auto const& test : result.tests) {
    text += fmt::format("\n{}: {}\n", to_text(test.configuration),
                        test.failed      ? "failed: " + *test.failed
                        : test.same_bits ? "same bits"
                                         : "different bits");
    if (!test.failed) {
      text += verification::to_text(test.comparison);
    }
  }
  return text;
}

}  // namespace ulpine::ensembles
