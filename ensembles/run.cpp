// SPDX-License-Identifier: Apache-2.0
#include "ensembles/run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/exec/device.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/checkpoints.hpp"
#include "ensembles/configuration.hpp"
#include "ensembles/files.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/restart.hpp"
#include "io/trace_file.hpp"

namespace ulpine::ensembles {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr char const* schema = "ulpine.run/1";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

/// What a run goes on from is kept; the output of an earlier, unrelated run of the same name is not.
void put_aside(fs::path const& output) {
  if (!fs::exists(output)) {
    return;
  }
  for (int number = 1;; ++number) {
    auto const kept = output.parent_path() / fmt::format("output-{}.nc", number);
    if (!fs::exists(kept)) {
      fs::rename(output, kept);
      return;
    }
  }
}

/// Writes the model's fields as one more time of the file.
class Recorder {
 public:
  Recorder(Model const& model, fs::path const& path, std::string const& title,
           io::Provenance const& provenance, std::string const& case_text)
      : model_{model},
        fields_{model.fields()},
        file_{path,
              title,
              model.coordinates(),
              fields_,
              model.static_fields(),
              provenance,
              case_text,
              model.attributes(),
              io::OutputFile::usual_epoch,
              model.meshes()} {
    for (auto const& field : model.static_fields()) {
      file_.write_static(field.name, values_of(field));
    }
  }

  void record() {
    file_.begin_time(model_.time());
    for (auto const& field : fields_) {
      file_.write(field.name, values_of(field));
    }
    file_.finish_time();
  }

  void close() { file_.close(); }

 private:
  io::SlabSource values_of(io::FieldInfo const& field) const {
    auto const type = field.type == ValueType::binary128 ? ValueType::float64 : field.type;
    return [this, name = field.name, type](std::int64_t first, std::int64_t count, void* values) {
      model_.read(name, first, count, type, values);
    };
  }

  Model const& model_;
  std::vector<io::FieldInfo> fields_;
  io::OutputFile file_;
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
  auto const expected = static_cast<double>(header.step) * model.time_step();
  if (model.time_step() > 0 && !(std::abs(header.time - expected) <= 1e-9 * model.time_step()) &&
      header.time != expected) {
    throw InputError(
        fmt::format("{}: makes no sense (step {} of {} s is at {} s, not at {} s) take another restart",
                    request.restart.string(), header.step, model.time_step(), expected, header.time));
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

/// What it takes to repeat the run's steps, and who it was made by.
io::HashLogAttributes log_attributes(RunRequest const& request, ModelOptions const& options,
                                     io::Provenance const& provenance, double step, double interval,
                                     double end) {
  auto attributes = provenance.items();
  std::error_code failed;
  attributes.emplace_back("program", fs::read_symlink("/proc/self/exe", failed).string());
  attributes.emplace_back(
      "configuration", to_text({options.device, options.policy, options.assembly,
                                on_gpu({options.device}) ? options.block : options.threads, options.stages}));
  // Where steps vary, they are cut short at outputs and at the end.
  attributes.emplace_back("interval_s", step > 0 ? "" : io::number_text(interval));
  attributes.emplace_back("until_s", step > 0 ? "" : io::number_text(end));
  return attributes;
}

Json integrals_json(RunRecord const& record) {
  auto json = Json::object();
  for (auto const& integral : record.initial) {
    auto const last = std::find_if(record.final.begin(), record.final.end(),
                                   [&](Integral const& other) { return other.name == integral.name; });
    json[integral.name] = {
        {"units", integral.units},
        {"initial", integral.value},
        {"final", last == record.final.end() ? std::numeric_limits<double>::quiet_NaN() : last->value}};
  }
  return json;
}

Json stages_json(RunRecord const& record) {
  auto json = Json::array();
  for (auto const& stage : record.stages) {
    auto fraction = Json(nullptr);
    if (record.copy_bandwidth > 0 && stage.seconds > 0) {
      fraction = stage.bytes / stage.seconds / record.copy_bandwidth;
    }
    json.push_back({{"name", stage.name},
                    {"launches", stage.launches},
                    {"timed", stage.timed},
                    {"seconds", stage.seconds},
                    {"bytes", stage.bytes},
                    {"bandwidth_fraction", fraction}});
  }
  return json;
}

Json stage_policies_json(RunRecord const& record) {
  auto json = Json::object();
  for (auto const& [stage, policy] : record.stage_policies) {
    json[stage] = policy;
  }
  return json;
}

Json files_json(RunRecord const& record) {
  auto json = Json::object();
  for (auto const& file : record.files) {
    json[file.name] = {{"bytes", file.content.bytes}, {"xxh64", io::hex(file.content.hash)}};
  }
  return json;
}

std::uint64_t hash_from_hex(std::string const& digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

template <class T>
Json optional_json(std::optional<T> const& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Null stands for NaN and infinity (as nlohmann-json writes them); the final integral of a blown-up run may
/// be one.
double number_or_nan(Json const& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json to_json(RunRecord const& record) {
  Json json = {{"schema", schema},
               {"id", record.id},
               {"core", record.core},
               {"case", record.case_name},
               {"case_hash", record.case_hash},
               {"policy", record.policy},
               {"assembly", record.assembly},
               {"stage_policies", stage_policies_json(record)},
               {"device", record.device},
               {"epsilon", optional_json(record.epsilon)},
               {"member", optional_json(record.member)},
               {"failed", optional_json(record.failed)},
               {"start_s", record.start_s},
               {"end_s", record.end_s},
               {"wall_s", record.wall_s},
               {"model_wall_s", record.model_wall_s},
               {"steps", record.steps},
               {"cells", record.cells},
               {"hash", record.hash},
               {"memory_bytes", record.memory_bytes},
               {"peak_rss_bytes", record.peak_rss_bytes},
               {"copy_bandwidth", record.copy_bandwidth},
               {"seed", record.seed},
               {"perturbed", record.perturbed},
               {"files", files_json(record)},
               {"stages", stages_json(record)},
               {"integrals", integrals_json(record)}};
  auto provenance = Json::object();
  for (auto const& [name, value] : record.provenance) {
    provenance[name] = value;
  }
  json["provenance"] = provenance;
  return json;
}

}  // namespace

io::Provenance provenance_of(ModelOptions const& options, std::string const& case_hash) {
  auto provenance = io::build_provenance();
  auto const ordinal = device_ordinal(options.device);
  provenance.device = ordinal < 0 ? "cpu" : devices().at(static_cast<std::size_t>(ordinal)).name;
  provenance.driver = ordinal < 0 ? "" : driver_version();
  provenance.policy = options.policy;
  for (auto const& [stage, policy] : options.stages) {
    provenance.policy += fmt::format("/{}={}", stage, policy);
  }
  provenance.assembly = name_of(options.assembly);
  provenance.threads = ordinal < 0 ? options.threads : 0;
  provenance.block = ordinal < 0 ? 0 : options.block;
  provenance.case_hash = case_hash;
  return provenance;
}

double next_stop(double now, double step, double interval, double end) {
  auto const output = interval > 0 ? (std::floor((now + step / 2) / interval) + 1) * interval : end;
  return std::min(output, end);
}

double time_of_steps(double seconds, double step, std::string const& what) {
  if (step > 0) return static_cast<double>(whole_steps(seconds, step, what)) * step;
  if (!(seconds >= 0 && seconds <= longest_time)) {
    throw InputError(fmt::format("{} = {} s is no time of a run (0 to {} s are) give another", what, seconds,
                                 longest_time));
  }
  return seconds;
}

std::int64_t whole_steps(double seconds, double step, std::string const& what) {
  auto const steps = std::round(seconds / step);
  if (seconds > longest_time) {
    throw InputError(fmt::format("{} = {} s is too long (10 million days are the limit) use at most {} s",
                                 what, seconds, std::floor(longest_time / step) * step));
  }
  // Times are typed in decimal, steps may be thirds of a minute: rounding is no disagreement.
  if (!(steps >= 0) || (steps == 0 && seconds != 0) || std::abs(steps * step - seconds) > 1e-6 * step) {
    throw InputError(fmt::format("{} = {} s is no multiple of the time step ({} s) use e.g. {} s", what,
                                 seconds, step, std::max(1.0, steps) * step));
  }
  return static_cast<std::int64_t>(steps);
}

std::unique_ptr<Model> model_of_case(io::CaseFile const& case_file, ModelOptions& options,
                                     bool spare_threads) {
  auto model = make_model(case_file, options);
  if (spare_threads && device_ordinal(options.device) < 0) {
    auto const worth = std::max<std::int64_t>(model->cells() / least_cells, 1);
    if (worth < options.threads) {
      options.threads = static_cast<int>(worth);
      model.reset();
      model = make_model(case_file, options);
    }
  }
  return model;
}

RunRecord run(RunRequest const& request) {
  auto const begin = Clock::now();
  auto const case_file = request.source.load();
  auto options = request.options;
  auto const model = model_of_case(case_file, options, request.spare_threads);
  auto const case_hash = case_file.hash();
  auto const case_text = case_file.resolved();
  auto const step_s = model->time_step();
  auto const key = [&](char const* name) { return case_file.path().string() + ": " + name; };
  // Where steps vary, nothing but their number says when so many are done.
  auto const counted = request.steps && step_s == 0;
  auto end = counted         ? longest_time
             : request.until ? time_of_steps(*request.until, step_s, "--until")
             : request.steps ? 0
                             : time_of_steps(end_time(case_file), step_s, key("time.end"));
  auto const interval = time_of_steps(output_interval(case_file), step_s, key("output.interval"));
  if (!request.restart.empty()) {
    restore(*model, request, case_hash);
  }
  auto const first = model->step();
  if (request.steps && !counted) end = model->time() + static_cast<double>(*request.steps) * step_s;
  auto const reached = [&](double time) {
    return model->time() + step_s / 2 >= time || (counted && model->step() - first >= *request.steps);
  };
  if (model->time() > end + step_s / 2) {
    throw InputError(fmt::format("{}: is at {} s already (the run is to end at {} s) give a later --until",
                                 request.restart.string(), model->time(), end));
  }
  for (auto const& [field, noise] : request.perturbations) {
    model->perturb(field, noise);
  }
  if (request.fault) model->plant(*request.fault);

  RunRecord record;
  record.id = request.id;
  record.core = model->core();
  record.case_name = case_file.name();
  record.case_hash = io::hex(case_hash);
  record.policy = options.policy;
  record.assembly = name_of(options.assembly);
  record.stage_policies = options.stages;
  record.device = options.device;
  record.epsilon = request.epsilon;
  record.member = request.member;
  for (auto const& [field, noise] : request.perturbations) {
    record.perturbed.push_back(field);
    record.seed = noise.seed;
  }
  record.start_s = model->time();
  record.cells = model->cells();
  record.initial = model->integrals();
  record.copy_bandwidth = copy_bandwidth(device_ordinal(options.device));
  auto provenance = provenance_of(options, record.case_hash);
  provenance.seed = record.seed;
  record.provenance = provenance.items();

  make_folder(request.folder);
  auto const output_path = request.folder / "output.nc";
  auto const restart_path = request.folder / "restart.nc";
  auto const record_path = request.folder / "run.json";
  fs::remove(record_path);
  if (request.restart.empty()) {
    fs::remove(restart_path);
  } else {
    put_aside(output_path);
  }
  std::optional<io::TraceWriter> trace;
  std::unique_ptr<TraceRecorder> observer;
  if (request.trace) {
    trace.emplace(request.folder / "trace.bin", provenance, case_text);
    observer = make_trace_recorder(*trace);
    model->observe(observer.get());
  }

  std::optional<Checkpoints> checkpoints;
  if (request.checkpoints > 0) {
    checkpoints.emplace(request.folder, request.checkpoints, *model,
                        log_attributes(request, options, provenance, step_s, interval, end), provenance,
                        case_text);
  } else if (request.restart.empty()) {
    fs::remove_all(checkpoint_folder(request.folder));
  }

  auto const stop_where_not_finite = [&] {
    if (auto const where = model->not_finite(); !where.empty()) {
      record.failed = fmt::format("the state is not finite after step {} ({} s), first {}", model->step(),
                                  model->time(), where);
    }
    return record.failed.has_value();
  };
  auto reported = Clock::time_point{};
  auto const report = [&](bool always) {
    if (!request.progress || (!always && seconds_since(reported) < 0.05)) {
      return;
    }
    reported = Clock::now();
    auto const done = model->time() - record.start_s, left = end - model->time();
    auto const rate = done > 0 ? record.model_wall_s / done : std::numeric_limits<double>::infinity();
    auto const steps = step_s > 0 ? std::llround((end - record.start_s) / step_s) : 0;
    request.progress({model->time(), record.start_s, end, model->step() - first, steps, seconds_since(begin),
                      reached(end) ? 0 : rate * left});
  };
  auto const cancelled = [&] { return request.cancel != nullptr && request.cancel->load(); };

  Recorder output(*model, output_path, fmt::format("{} ({})", record.case_name, record.core), provenance,
                  case_text);
  if (!stop_where_not_finite()) {
    output.record();
  }
  while (!record.failed && !reached(end) && !record.interrupted) {
    auto const before = Clock::now();
    auto const target = next_stop(model->time(), step_s, interval, end);
    model->take_step(target);
    auto const due = reached(target);
    // not_finite() waits for the device, so the steps' cost is in model_wall_s and not in the output's.
    auto const broken = (due || request.trap_nonfinite) && stop_where_not_finite();
    record.model_wall_s += seconds_since(before);
    if (checkpoints) checkpoints->after_step(*model);
    if (due && !broken) {
      output.record();
    }
    record.interrupted = !record.failed && !reached(end) && cancelled();
    report(false);
  }
  report(true);
  if (checkpoints) checkpoints->close();
  if (observer != nullptr) {
    observer->flush();
    model->observe(nullptr);
    trace->close();
  }
  output.close();

  record.end_s = model->time();
  record.steps = model->step() - first;
  record.hash = io::hex(model->state_hash());
  record.final = model->integrals();
  record.stages = model->costs();
  record.memory_bytes = model->memory_bytes();
  if (!record.failed) {
    io::write_restart(restart_path, *model->state(), provenance);
  }
  record.peak_rss_bytes = peak_resident_bytes();
  if (record.interrupted) {
    record.wall_s = seconds_since(begin);
    return record;
  }
  std::vector<std::string> written = {"output.nc"};
  if (!record.failed) written.emplace_back("restart.nc");
  if (request.trace) written.emplace_back("trace.bin");
  for (auto const& name : written) {
    record.files.push_back({name, io::content_of(request.folder / name)});
  }
  record.wall_s = seconds_since(begin);
  write_atomically(record_path, io::sealed_json(to_json(record).dump(2)));
  if (record.failed) {
    throw RunFailed(*record.failed + " (the time step may be too long or the precision too low) see " +
                    record_path.string());
  }
  return record;
}

RunRecord read_run(fs::path const& run_json) {
  auto const text = read_text(run_json);
  io::require_json_seal(text, run_json.string(), "repeat the run");
  try {
    auto const json = Json::parse(text);
    if (json.at("schema") != schema) {
      throw InputError(run_json.string() + ": has schema " + json.at("schema").dump() +
                       " (this program reads " + schema + ") use the program that wrote it");
    }
    RunRecord record;
    json.at("id").get_to(record.id);
    json.at("core").get_to(record.core);
    json.at("case").get_to(record.case_name);
    json.at("case_hash").get_to(record.case_hash);
    json.at("policy").get_to(record.policy);
    json.at("assembly").get_to(record.assembly);
    json.at("device").get_to(record.device);
    if (auto const& epsilon = json.at("epsilon"); !epsilon.is_null()) record.epsilon = epsilon.get<double>();
    if (auto const& member = json.at("member"); !member.is_null()) record.member = member.get<int>();
    if (auto const& failed = json.at("failed"); !failed.is_null()) record.failed = failed.get<std::string>();
    json.at("start_s").get_to(record.start_s);
    json.at("end_s").get_to(record.end_s);
    json.at("wall_s").get_to(record.wall_s);
    json.at("model_wall_s").get_to(record.model_wall_s);
    json.at("steps").get_to(record.steps);
    json.at("cells").get_to(record.cells);
    json.at("hash").get_to(record.hash);
    json.at("memory_bytes").get_to(record.memory_bytes);
    json.at("peak_rss_bytes").get_to(record.peak_rss_bytes);
    json.at("copy_bandwidth").get_to(record.copy_bandwidth);
    json.at("seed").get_to(record.seed);
    json.at("perturbed").get_to(record.perturbed);
    if (auto const policies = json.find("stage_policies"); policies != json.end()) {
      for (auto const& [stage, policy] : policies->items()) {
        record.stage_policies.push_back({stage, policy.get<std::string>()});
      }
    }
    for (auto const& [name, file] : json.at("files").items()) {
      record.files.push_back({name, {file.at("bytes"), hash_from_hex(file.at("xxh64"))}});
    }
    for (auto const& stage : json.at("stages")) {
      record.stages.push_back({stage.at("name"), stage.at("launches"), stage.at("timed"), stage.at("seconds"),
                               stage.at("bytes")});
    }
    for (auto const& [name, integral] : json.at("integrals").items()) {
      std::string const units = integral.at("units");
      record.initial.push_back({name, units, number_or_nan(integral.at("initial"))});
      record.final.push_back({name, units, number_or_nan(integral.at("final"))});
    }
    for (auto const& [name, value] : json.at("provenance").items()) {
      record.provenance.emplace_back(name, value.get<std::string>());
    }
    return record;
  } catch (nlohmann::json::exception const& problem) {
    throw InputError(run_json.string() + ": is no record of a run (" + problem.what() + ") repeat the run");
  }
}

std::optional<std::string> output_problem(fs::path const& folder, RunRecord const& record) {
  auto const path = folder / "output.nc";
  auto const file = std::find_if(record.files.begin(), record.files.end(),
                                 [](WrittenFile const& written) { return written.name == "output.nc"; });
  if (file == record.files.end() || !fs::exists(path)) {
    return path.string() + ": is missing (the run wrote it) repeat the run with --resume";
  }
  try {
    if (io::content_of(path) == file->content) {
      return {};
    }
  } catch (InputError const& problem) {
    return problem.what();
  }
  return path.string() +
         ": is not the file that the run wrote (altered, damaged or of another run) repeat the run with "
         "--resume";
}

}  // namespace ulpine::ensembles
