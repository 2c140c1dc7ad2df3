// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/stepped_run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/exec/device.hpp"
#include "core/model/not_solved.hpp"
#include "core/model/ranked_model.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/programs/program_run.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run_folder.hpp"
#include "ensembles/runs/stops.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/multiples.hpp"
#include "io/netcdf.hpp"
#include "io/output_process.hpp"
#include "io/own_files.hpp"
#include "io/restart.hpp"
#include "io/temporary.hpp"
#include "io/trace_file.hpp"
#include "io/xdmf.hpp"

namespace ulpine::ensembles {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

/// Values of fields in memory, in the order of the fields.
using FieldValues = std::vector<std::vector<std::byte>>;

/// Writes the model's fields as one more time of the file.
class Recorder {
 public:
  /// Runs side by side have the file written `elsewhere`, by a process of its own, where there can be one.
  Recorder(Model const& model, fs::path const& path, std::string const& title,
           io::Provenance const& provenance, std::string const& case_text, bool elsewhere)
      : model_{model}, fields_{model.fields()} {
    auto const constant = model.static_fields();
    auto const make = [&, coordinates = model.coordinates(), attributes = model.attributes(),
                       meshes = model.meshes()] {
      return io::OutputFile(path, title, coordinates, fields_, constant, provenance, case_text, attributes,
                            io::OutputFile::usual_epoch, meshes);
    };
    // Meshes are read from the model, which another process cannot.
    if (elsewhere && model.meshes().empty()) {
      auto const values = copy_of(constant);
      process_ = io::OutputProcess::start(
          path,
          [&] {
            auto file = make();
            for (std::size_t k = 0; k < constant.size(); ++k) {
              file.write_static(constant[k].name, source_of(constant[k], values[k]));
            }
            return file;
          },
          fields_);
    }
    if (!process_) {
      file_.emplace(make());
      for (auto const& field : constant) file_->write_static(field.name, source_of(field));
    }
  }

  /// By `defer`, where there is one, from a copy of the values.
  void record(std::function<void(std::function<void()>)> const& defer) {
    if (!defer) {
      write(model_.time(), [this](std::size_t k) { return source_of(fields_[k]); });
      return;
    }
    defer([this, time = model_.time(), values = copy_of(fields_)] {
      if (process_) {
        process_->write_time(time, values);
      } else {
        write(time, [&](std::size_t k) { return source_of(fields_[k], values[k]); });
      }
    });
  }

  void moved_to(fs::path const& path) { process_ ? process_->moved_to(path) : file_->moved_to(path); }
  void close() { process_ ? process_->close() : file_->close(); }

 private:
  template <class Sources>
  void write(double time, Sources const& source) {
    file_->begin_time(time);
    for (std::size_t k = 0; k < fields_.size(); ++k) file_->write(fields_[k].name, source(k));
    file_->finish_time();
  }
  static ValueType written_type(io::FieldInfo const& field) {
    bool const has_type = field.type == ValueType::uint8 || field.type == ValueType::float32;
    return has_type ? field.type : ValueType::float64;
  }
  io::SlabSource source_of(io::FieldInfo const& field) const {
    return [this, name = field.name, type = written_type(field)](std::int64_t first, std::int64_t count,
                                                                 void* values) {
      model_.read(name, first, count, type, values);
    };
  }
  static io::SlabSource source_of(io::FieldInfo const& field, std::vector<std::byte> const& values) {
    return
        [&values, width = bytes_of(written_type(field))](std::int64_t first, std::int64_t count, void* slab) {
          std::memcpy(slab, values.data() + first * width, static_cast<std::size_t>(count * width));
        };
  }
  FieldValues copy_of(std::vector<io::FieldInfo> const& fields) const {
    FieldValues values;
    for (auto const& field : fields) {
      values.emplace_back(static_cast<std::size_t>(field.size() * bytes_of(written_type(field))));
      source_of(field)(0, field.size(), values.back().data());
    }
    return values;
  }

  Model const& model_;
  std::vector<io::FieldInfo> fields_;
  std::optional<io::OutputFile> file_;
  std::optional<io::OutputProcess> process_;
};

void restore(Model& model, RunRequest const& request, std::uint64_t case_hash) {
  io::RestartFile const file{request.restart};
  auto const& header = file.header();
  if (header.case_hash != case_hash) {
    throw InputError(request.restart.string() + ": is the restart of another case (its case hash is " +
                     io::hex(header.case_hash) + ", this case's " + io::hex(case_hash) +
                     ") use the case file, overrides and input files of the run that wrote it");
  }
  // A step far beyond the double's integers would pass any test of the product.
  auto const step = model.time_step();
  auto const expected = step > 0 ? io::Multiples(step).at(header.step) : header.time;
  if (!(std::abs(header.time - expected) <= 1e-9 * step) &&
      header.time != static_cast<double>(header.step) * step) {
    throw InputError(
        fmt::format("{}: makes no sense (step {} of {} s is at {} s, not at {} s) take another restart",
                    request.restart.string(), header.step, step, expected, header.time));
  }
  try {
    if (request.convert_restart && header.policy != request.options.policy) {
      model.restore(*convert(file, model.state()->header()));
    } else {
      model.restore(file);
    }
  } catch (InputError const& problem) {
    throw InputError(request.restart.string() + ": " + problem.what());
  }
}

/// Metadata of the hash log: all that repeating the run's steps takes, and the build that made it.
io::HashLogAttributes log_attributes(RunRequest const& request, io::Provenance const& provenance, double step,
                                     double interval, double end) {
  auto const& options = request.options;
  auto attributes = provenance.items();
  std::error_code failed;
  attributes.emplace_back("program", fs::read_symlink("/proc/self/exe", failed).string());
  attributes.emplace_back("configuration", to_text(configuration_of(options)));
  // Where steps vary, they are cut short at outputs and at the end.
  attributes.emplace_back("interval_s", step > 0 ? "" : io::number_text(interval));
  attributes.emplace_back("until_s", step > 0 ? "" : io::number_text(end));
  return attributes;
}

}  // namespace

struct SteppedRun::State {
  explicit State(RunRequest asked);

  bool reached(double time) const {
    return model->time() + step_s / 2 >= time || (counted && model->step() - first >= *request.steps);
  }
  bool over() const { return record.failed || record.interrupted || reached(end); }
  void take_step();
  void fail(std::string const& reason);
  bool due() const { return request.trap_nonfinite || checkpoints || reached(output_at); }
  void settle();
  RunRecord finish();
  void tell_of_end();
  [[noreturn]] void throw_failure() const;

  void prepare_files();
  void place_files();
  bool stop_where_invalid();
  void report(bool always);

  RunRequest request;
  Clock::time_point begin = Clock::now(), reported = {}, step_begin = {};
  io::CaseFile case_file;
  std::unique_ptr<Model> model;
  std::uint64_t case_hash;
  std::string case_text;
  double step_s;
  bool counted;  ///< where steps vary, nothing but their number says when so many are done
  double end = 0, interval = 0;
  std::optional<Stops> stops = {}, unending = {};  ///< those of the run; those of a run without an end
  double output_at = 0;                            ///< the next output after the begin of the last step, s
  std::int64_t first = 0,
               valid = 0;  ///< steps after which it begins, and after which its state was valid last
  double setup_s = 0;
  std::optional<double> charged = {};
  /// The error of a step. It leaves the model in the middle of that step: the model is not used any more.
  std::exception_ptr broken_off = {};
  RunRecord record;
  io::Provenance provenance;
  BegunFiles begun;  // before those who write them
  std::optional<io::TraceWriter> trace;
  std::unique_ptr<TraceRecorder> observer;
  std::optional<Checkpoints> checkpoints;
  std::optional<Recorder> output;
};

SteppedRun::State::State(RunRequest asked)
    : request{std::move(asked)},
      case_file{request.source.load()},
      model{model_of_case(case_file, request.options, request.spare_threads)},
      case_hash{case_file.hash()},
      case_text{case_file.resolved()},
      step_s{model->time_step()},
      counted{request.steps && step_s == 0},
      begun{request.folder} {
  require_own_folder(request, case_file);
  auto const key = [&](char const* name) { return case_file.path().string() + ": " + name; };
  end = counted         ? longest_time
        : request.until ? time_of_steps(*request.until, step_s, "--until")
        : request.steps ? 0
                        : time_of_steps(end_time(case_file), step_s, key("time.end"));
  interval = time_of_steps(output_interval(case_file), step_s, key("output.interval"));
  if (!request.restart.empty()) {
    restore(*model, request, case_hash);
  }
  first = valid = model->step();
  if (request.steps && !counted) end = model->time() + static_cast<double>(*request.steps) * step_s;
  stops.emplace(*model, interval, end);
  unending.emplace(*model, interval, std::numeric_limits<double>::infinity());
  if (model->time() > end + step_s / 2) {
    throw InputError(fmt::format("{}: is at {} s already (the run is to end at {} s) give a later --until",
                                 request.restart.string(), model->time(), end));
  }
  for (auto const& [field, noise] : request.perturbations) {
    model->perturb(field, noise);
  }
  if (request.fault) model->plant(*request.fault);

  record.id = request.id;
  record.core = model->core();
  record.case_name = case_file.name();
  record.case_hash = io::hex(case_hash);
  record.policy = request.options.policy;
  record.assembly = name_of(request.options.assembly);
  record.stage_policies = request.options.stages;
  auto own = request.options;
  own.device = own_device(own);
  record.device = own.device;
  record.epsilon = request.epsilon;
  record.member = request.member;
  for (auto const& [field, noise] : request.perturbations) {
    record.perturbed.push_back(field);
    record.seed = noise.seed;
  }
  record.start_s = model->time();
  record.cells = model->cells();
  record.initial = model->integrals();
  record.copy_bandwidth = copy_bandwidth(device_ordinal(own.device));
  provenance = provenance_of(own, record.case_hash);
  provenance.seed = record.seed;
  record.provenance = provenance.items();
  prepare_files();
  // A state that cannot be written is no start. Written elsewhere, it is told later.
  if (request.defer) place_files();
  if (!stop_where_invalid()) {
    output->record(request.defer);
  }
  if (!request.defer) place_files();
  setup_s = seconds_since(begin);
}

/// Under temporary names: what is in the folder stays as it is until all of them can be written.
void SteppedRun::State::prepare_files() {
  make_folder(request.folder);
  if (request.trace) {
    trace.emplace(begun.add("trace.bin"), provenance, case_text);
    observer = make_trace_recorder(*trace);
    model->observe(observer.get());
  }
  if (request.checkpoints > 0) {
    checkpoints.emplace(request.folder, request.checkpoints, *model,
                        log_attributes(request, provenance, step_s, interval, end), provenance, case_text);
  }
  if (!model->meshes().empty()) begun.add("output.xdmf");
  output.emplace(*model, begun.add("output.nc"), fmt::format("{} ({})", record.case_name, record.core),
                 provenance, case_text, static_cast<bool>(request.defer));
}

/// No file of an earlier run may pass for one of this run: each is removed or, where the run goes on from a
/// restart, kept under a number.
void SteppedRun::State::place_files() try {
  auto const goes_on = !request.restart.empty();
  auto const number = goes_on ? free_number(request.folder) : 0;
  auto const clear = [&](char const* name) {
    auto const path = request.folder / name;
    if (std::error_code failed; goes_on && fs::equivalent(path, request.restart, failed)) return;
    if (goes_on && fs::exists(fs::symlink_status(path))) {
      io::rename_output(path, numbered(path, number));
    } else if (fs::is_directory(fs::symlink_status(path))) {
      // At once and as a whole, also where a kill comes between the two.
      auto const aside = io::temporary_name(numbered(path, 1));
      fs::rename(path, aside);
      fs::remove_all(aside);
    } else if (!begun.has(name)) {
      fs::remove(path);
    }
  };
  clear("run.json");  // without it the others are those of a run that has not come to its end
  clear("restart.nc");
  clear("trace.bin");
  begun.place("trace.bin");
  if (!checkpoints || !checkpoints->goes_on()) clear("checkpoints");
  if (checkpoints) checkpoints->place();
  clear("output.nc");
  clear("output.xdmf");
  begun.place("output.nc");
  begun.place("output.xdmf");
  output->moved_to(request.folder / "output.nc");
} catch (fs::filesystem_error const& problem) {
  throw EnvironmentError(fmt::format("{}: cannot be replaced by the new run's ({}) check permissions",
                                     problem.path1().string(), problem.code().message()));
}

bool SteppedRun::State::stop_where_invalid() {
  auto const step = model->step();
  if (auto const what = model->invalid_value(); !what.empty()) {
    record.failed =
        fmt::format("the state is invalid {} ({} s): {}",
                    step == first ? "at the start" : fmt::format("after step {}", step), model->time(), what);
    if (step - valid > 1) {
      *record.failed +=
          fmt::format("; one of steps {} to {} made it so, and --trap tells which", valid + 1, step);
    }
  }
  valid = step;
  return record.failed.has_value();
}

void SteppedRun::State::report(bool always) {
  if (!request.progress || (!always && seconds_since(reported) < 0.05)) {
    return;
  }
  reported = Clock::now();
  auto const done = model->time() - record.start_s, left = end - model->time();
  auto const rate = done > 0 ? record.model_wall_s / done : std::numeric_limits<double>::infinity();
  auto const steps = step_s > 0 ? std::llround((end - record.start_s) / step_s) : 0;
  request.progress({model->time(), record.start_s, end, model->step() - first, steps, seconds_since(begin),
                    reached(end) ? 0 : rate * left});
}

void SteppedRun::State::take_step() {
  step_begin = Clock::now();
  auto const now = model->time(), stop = stops->next(now);
  output_at = stops->next_output(now);
  record.end_s = now;
  record.steps = model->step() - first;
  try {
    model->take_step(stop);
  } catch (NotSolved const& problem) {
    fail(problem.what());
    return;
  } catch (InputError const& problem) {
    fail(problem.what());
    return;
  }
  // Whoever goes by length_towards() takes half of what is left or more only because of where it ends.
  if (step_s == 0 && model->time() - now >= (stop - now) / 2 && stop != unending->next(now)) {
    record.cut_short = true;
  }
}

/// Called while what a step threw is caught.
void SteppedRun::State::fail(std::string const& reason) {
  broken_off = std::current_exception();
  record.failed = reason;
}

void SteppedRun::State::settle() {
  if (broken_off) {
    record.model_wall_s += seconds_since(step_begin);
    return;
  }
  auto const due = reached(output_at);
  // invalid_value() waits for the device, so the steps' cost is in model_wall_s and not in the output's.
  auto const broken = (due || request.trap_nonfinite) && stop_where_invalid();
  record.model_wall_s += seconds_since(step_begin);
  if (checkpoints) checkpoints->after_step(*model);
  if (due && !broken) {
    output->record(request.defer);
  }
  record.interrupted = !record.failed && !reached(end) && request.cancel != nullptr && request.cancel->load();
  report(false);
}

RunRecord SteppedRun::State::finish() {
  auto const over_at = Clock::now();
  auto const wall_s = [&] {
    return charged ? setup_s + *charged + seconds_since(over_at) : seconds_since(begin);
  };
  if (charged) record.model_wall_s = *charged;
  if (!broken_off) report(true);
  if (checkpoints) checkpoints->close();
  if (observer != nullptr) {
    observer->flush();
    if (!broken_off) model->observe(nullptr);
    trace->close();
  }
  output->close();
  if (!broken_off) tell_of_end();
  if (!record.failed) {
    io::write_restart(request.folder / "restart.nc", *model->state(), provenance);
  }
  record.peak_rss_bytes = peak_resident_bytes();
  if (record.interrupted) {
    record.wall_s = wall_s();
    return record;
  }
  std::vector<std::string> written = {"output.nc"};
  if (!record.failed) written.emplace_back("restart.nc");
  if (request.trace) written.emplace_back("trace.bin");
  for (auto const& name : written) {
    // The files that run.json lists are on the disk before it is.
    io::sync(request.folder / name, request.folder / name);
    record.files.push_back({name, io::content_of(request.folder / name)});
  }
  record.wall_s = wall_s();
  write_run(request.folder / "run.json", record);
  if (record.failed) throw_failure();
  return record;
}

/// Fills the record from a model that has taken its last step.
void SteppedRun::State::tell_of_end() {
  record.end_s = model->time();
  record.steps = model->step() - first;
  record.hash = io::hex(model->state_hash());
  record.final = model->integrals();
  record.stages = model->costs();
  record.memory_bytes = model->memory_bytes();
}

void SteppedRun::State::throw_failure() const {
  auto const see = " see " + io::final_name(request.folder / "run.json").string();
  if (!broken_off) {
    auto const* const advice = record.steps > 0
                                   ? " (the time step may be too long or the precision too low)"
                                   : " (before the first step) mend the start, or a disturbance of it,";
    throw RunFailed(*record.failed + advice + see);
  }
  try {
    std::rethrow_exception(broken_off);
  } catch (NotSolved const&) {
    throw RunFailed(*record.failed + "," + see);
  }
}

SteppedRun::SteppedRun(RunRequest request) : state_{std::make_unique<State>(std::move(request))} {}
SteppedRun::~SteppedRun() = default;

bool SteppedRun::over() const { return state_->over(); }
void SteppedRun::take_step() { state_->take_step(); }
bool SteppedRun::due() const { return state_->due(); }
void SteppedRun::settle() { state_->settle(); }
void SteppedRun::charge(double seconds) { state_->charged = seconds; }
RunRecord SteppedRun::finish() { return state_->finish(); }

RunRecord run(RunRequest const& request) {
  if (!request.variant.empty()) return run_program(request, request.source.load());
  SteppedRun run(request);
  while (!run.over()) {
    run.take_step();
    run.settle();
  }
  return run.finish();
}

}  // namespace ulpine::ensembles
