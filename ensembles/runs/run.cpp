// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/exec/device.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/study/configuration.hpp"
#include "io/error.hpp"
#include "io/multiples.hpp"

namespace ulpine::ensembles {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr char const* run_schema = "ulpine.run/1";

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
  Json json = {{"schema", run_schema},
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

void write_run(fs::path const& run_json, RunRecord const& record) {
  write_atomically(run_json, io::sealed_json(to_json(record).dump(2)));
}

io::Provenance provenance_of(ModelOptions const& options, std::string const& case_hash) {
  auto provenance = io::build_provenance();
  auto const ordinal = device_ordinal(options.device);
  provenance.device = ordinal < 0 ? "cpu" : devices().at(static_cast<std::size_t>(ordinal)).name;
  if (options.host_ranks > 0) provenance.device += " and cpu";
  provenance.driver = ordinal < 0 ? "" : driver_version();
  provenance.policy = options.policy;
  for (auto const& [stage, policy] : options.stages) {
    provenance.policy += fmt::format("/{}={}", stage, policy);
  }
  provenance.assembly = name_of(options.assembly);
  provenance.threads = ordinal < 0 || options.host_ranks > 0 ? options.threads : 0;
  provenance.block = ordinal < 0 ? 0 : options.block;
  provenance.ranks = options.ranks;
  provenance.case_hash = case_hash;
  return provenance;
}

double time_of_steps(double seconds, double step, std::string const& what) {
  if (step > 0) return io::Multiples(step).at(whole_steps(seconds, step, what));
  if (!(seconds >= 0 && seconds <= longest_time)) {
    throw InputError(fmt::format("{} = {} s is no time of a run (0 to {} s are) give another", what, seconds,
                                 longest_time));
  }
  return seconds;
}

std::int64_t whole_steps(double seconds, double step, std::string const& what) {
  constexpr auto most = 0x1p53;
  auto const steps = std::round(seconds / step);
  if (seconds > longest_time) {
    throw InputError(fmt::format("{} = {} s is too long (10 million days are the limit) use at most {} s",
                                 what, seconds, std::floor(longest_time / step) * step));
  }
  if (steps > most) {
    throw InputError(fmt::format("{} = {} s is too long (more than 2^53 steps of {} s) use at most {} s",
                                 what, seconds, step, most * step));
  }
  auto const whole = static_cast<std::int64_t>(std::max(1.0, steps));
  auto const nearest = io::Multiples(step).at(whole);
  // Times are typed in decimal, steps may be thirds of a minute: rounding is no disagreement.
  if (!(steps >= 0) || (steps == 0 && seconds != 0) ||
      (steps > 0 && !(std::abs(nearest - seconds) <= 1e-6 * step))) {
    throw InputError(fmt::format("{} = {} s is no multiple of the time step ({} s) use e.g. {} s", what,
                                 seconds, step, nearest));
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

RunRecord read_run(fs::path const& run_json) {
  auto const text = read_text(run_json);
  io::require_json_seal(text, run_json.string(), "repeat the run");
  try {
    auto const json = Json::parse(text);
    if (json.at("schema") != run_schema) {
      throw InputError(run_json.string() + ": has schema " + json.at("schema").dump() +
                       " (this program reads " + run_schema + ") use the program that wrote it");
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
