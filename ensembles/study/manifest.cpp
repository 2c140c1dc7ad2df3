// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "ensembles/programs/program_case.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/parallel.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/evaluators/evaluation.hpp"

namespace ulpine::ensembles {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* manifest_schema = "ulpine.manifest/3";
constexpr char const* second_schema = "ulpine.manifest/2";  ///< with equal noise at every amplitude
constexpr char const* first_schema = "ulpine.manifest/1";  ///< also: one device, reference fp64/deterministic
constexpr char const* state_names[] = {"planned", "done", "failed"};

Json variants_json(std::vector<PlannedVariant> const& variants) {
  auto json = Json::array();
  for (auto const& [name, precision, ranks] : variants) {
    json.push_back({{"name", name}, {"precision", precision}, {"ranks", ranks}});
  }
  return json;
}

Json options_json(StudyOptions const& options) {
  return {{"devices", options.devices},
          {"policies", options.policies},
          {"assemblies", options.assemblies},
          {"configurations", options.configurations},
          {"reference", options.reference},
          {"members_for", options.members_for},
          {"members_of_first_assembly", options.members_of_first_assembly},
          {"epsilons", options.epsilons},
          {"members", options.members},
          {"control", options.control},
          {"seed", options.seed},
          {"quad_until_s", options.quad_until.value_or(0)},
          {"until_s", options.until ? Json(*options.until) : Json(nullptr)},
          {"threads", options.threads},
          {"block", options.block},
          {"perturb", options.perturb},
          {"variants", variants_json(options.variants)}};
}

StudyOptions options_from(Json const& json, std::string const& written_as) {
  StudyOptions options;
  if (written_as == first_schema) {
    options.devices = {json.at("device").get<std::string>()};
  } else {
    json.at("devices").get_to(options.devices);
    json.at("configurations").get_to(options.configurations);
    json.at("reference").get_to(options.reference);
    json.at("members_for").get_to(options.members_for);
  }
  options.members_of_first_assembly = json.value("members_of_first_assembly", true);
  json.at("policies").get_to(options.policies);
  json.at("assemblies").get_to(options.assemblies);
  json.at("epsilons").get_to(options.epsilons);
  json.at("members").get_to(options.members);
  if (written_as == manifest_schema) {
    json.at("control").get_to(options.control);
    options.quad_until = json.at("quad_until_s").get<double>();
  }
  json.at("seed").get_to(options.seed);
  if (auto const& until = json.at("until_s"); !until.is_null()) options.until = until.get<double>();
  json.at("threads").get_to(options.threads);
  json.at("block").get_to(options.block);
  json.at("perturb").get_to(options.perturb);
  if (auto const variants = json.find("variants"); variants != json.end()) {
    for (auto const& variant : *variants) {
      options.variants.push_back({variant.at("name"), variant.at("precision"), variant.at("ranks")});
    }
  }
  return options;
}

/// The first line that one text has and the other has not, as "key = a, now key = b"; for the content of a
/// file with the line before, which names the file.
std::string first_difference(std::string const& stored, std::string const& wanted) {
  std::istringstream a(stored), b(wanted);
  std::string line_a, line_b, before;
  while (true) {
    auto const has_a = static_cast<bool>(std::getline(a, line_a));
    auto const has_b = static_cast<bool>(std::getline(b, line_b));
    if (!has_a && !has_b) {
      return "nothing";
    }
    if (!has_a || !has_b || line_a != line_b) {
      auto const is_content = line_a.find("_xxh64 = ") != std::string::npos;
      return fmt::format("'{}', now '{}'{}", has_a ? line_a : "", has_b ? line_b : "",
                         is_content ? ": another content of " + before : "");
    }
    before = line_a;
  }
}

/// Texts that are no UTF-8 (of file systems and libraries) are mended rather than refused.
std::string text_of(Json const& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Takes the runs of a manifest out of the parsed document one by one, so that it never holds them all.
class RunStates {
 public:
  explicit RunStates(std::atomic<bool> const* cancel) : cancel_{cancel} {}

  /// The parser's callback: whether to keep `parsed`.
  bool keep(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key && depth == 1) {
      in_runs_ = parsed == "runs";
    } else if (event == Event::key && depth == 2 && in_runs_) {
      id_ = parsed.get<std::string>();
    } else if (event == Event::object_end && depth == 2 && in_runs_) {
      stop_where(cancel_);
      auto const name = parsed.at("state").get<std::string>();
      auto const* const known = std::find(std::begin(state_names), std::end(state_names), name);
      auto& state = states_[id_];
      state.state =
          known == std::end(state_names) ? RunState::planned : static_cast<RunState>(known - state_names);
      parsed.at("hash").get_to(state.hash);
      parsed.at("wall_s").get_to(state.wall_s);
      parsed.at("reason").get_to(state.reason);
      return false;
    }
    return true;
  }

  ManifestEntry entry(PlannedRun planned) const {
    ManifestEntry entry{std::move(planned)};
    if (auto const found = states_.find(entry.run.id); found != states_.end()) {
      auto const& state = found->second;
      entry.state = state.state;
      entry.hash = state.hash;
      entry.wall_s = state.wall_s;
      entry.reason = state.reason;
    }
    return entry;
  }

 private:
  struct State {
    RunState state = RunState::planned;
    std::string hash;
    double wall_s = 0;
    std::string reason;
  };
  std::atomic<bool> const* cancel_;
  bool in_runs_ = false;
  std::string id_;
  std::unordered_map<std::string, State> states_;
};

/// Model time at which every run of the study ends, s; NaN where a program alone knows.
double end_of_runs(Manifest const& manifest) {
  if (manifest.plan.options.until) return *manifest.plan.options.until;
  auto const case_file = io::CaseFile::parse(manifest.case_text, "manifest.json");
  if (is_program(case_file) && !case_file.has("time.end")) return std::numeric_limits<double>::quiet_NaN();
  return end_time(case_file);
}

/// A difference between the record of a run and the run that the study plans; empty where there is none.
std::string mismatch(RunRecord const& record, PlannedRun const& run, Manifest const& manifest, double end) {
  auto const differs = [](std::string const& what, auto const& was, auto const& now) {
    return was == now ? "" : fmt::format("its {} was {}, now {}", what, was, now);
  };
  auto const number_or_none = [](auto const& value) { return value ? fmt::format("{}", *value) : "none"; };
  auto const& options = manifest.plan.options;
  auto const perturbed = run.epsilon ? options.perturb : std::vector<std::string>{};
  end = run.until.value_or(end);
  // A run of a failed model ends before.
  auto const ends = record.failed ? end : record.end_s;
  for (auto const& difference :
       {differs("id", record.id, run.id), differs("core", record.core, manifest.core),
        differs("case hash", record.case_hash, manifest.case_hash),
        differs("policy", record.policy, run.configuration.policy),
        differs("assembly", record.assembly, assembly_text(run.configuration)),
        std::string{record.stage_policies == run.configuration.stages ? "" : "its stages had other policies"},
        differs("amplitude", number_or_none(record.epsilon),
                run.epsilon ? fmt::format("{}", run.epsilon->value) : "none"),
        differs("member", number_or_none(record.member), number_or_none(run.member)),
        std::string{record.seed == (perturbed.empty() ? 0 : run.seed)
                        ? ""
                        : fmt::format("its noise is not that of --seed {}", options.seed)},
        differs("perturbed fields", fmt::format("{}", fmt::join(record.perturbed, ",")),
                fmt::format("{}", fmt::join(perturbed, ","))),
        differs("start", record.start_s, 0.0),
        std::isnan(end) || std::abs(ends - end) <= 1e-6 * end ? "" : differs("end", ends, end)}) {
    if (!difference.empty()) {
      return difference;
    }
  }
  return {};
}

/// The configurations that have a run of that member, none: an unperturbed one that is judged, each once.
std::vector<std::string> names_of(Manifest const& manifest, std::optional<int> member) {
  std::vector<std::string> names;
  for (auto const& [run, state, hash, wall_s, reason] : manifest.entries) {
    if (run.until) continue;
    auto const& name = run.member ? run.ensemble : run.id;
    if (run.member == member && (names.empty() || names.back() != name)) {
      names.push_back(name);
    }
  }
  return names;
}

/// Takes the state of `entry` from its files; `end` is end_of_runs().
void refresh(std::filesystem::path const& study, Manifest const& manifest, double end, ManifestEntry& entry) {
  entry = ManifestEntry{std::move(entry.run)};
  auto const folder = study / entry.run.path;
  if (!std::filesystem::exists(folder / "run.json")) {
    return;
  }
  try {
    auto const record = read_run(folder / "run.json");
    if (auto const difference = mismatch(record, entry.run, manifest, end); !difference.empty()) {
      entry.reason = (folder / "run.json").string() + ": is of another run (" + difference +
                     ") repeat the run with --resume";
      return;
    }
    if (record.failed) {
      entry.state = RunState::failed;
      entry.reason = *record.failed;
    } else if (auto const problem = output_problem(folder, record)) {
      entry.reason = *problem;
      return;
    } else {
      entry.state = RunState::done;
      entry.hash = record.hash;
    }
    entry.wall_s = record.wall_s;
  } catch (InputError const& problem) {
    entry.reason = problem.what();
  }
}

}  // namespace

Manifest read_manifest(std::filesystem::path const& study, std::atomic<bool> const* cancel) {
  auto const path = study / "manifest.json";
  if (!std::filesystem::exists(path)) {
    throw InputError(study.string() +
                     ": is no study (it has no manifest.json) make one with `ulpine ensemble`");
  }
  auto const text = read_text(path);
  io::require_json_seal(text, path.string(),
                        "delete it and repeat `ulpine ensemble ... --resume`, which keeps finished runs");
  try {
    RunStates states(cancel);
    auto const json = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return states.keep(depth, event, parsed);
    });
    auto const& written_as = json.at("schema");
    if (written_as != manifest_schema && written_as != second_schema && written_as != first_schema) {
      throw InputError(
          fmt::format("{}: has schema {} (this program reads {}, {} and {}) use the program that wrote it",
                      path.string(), written_as.dump(), manifest_schema, second_schema, first_schema));
    }
    Manifest manifest;
    try {
      manifest.plan = make_plan(options_from(json.at("plan"), written_as));
    } catch (InputError const& problem) {
      throw InputError(path.string() + ": " + problem.what());
    }
    json.at("core").get_to(manifest.core);
    json.at("case").get_to(manifest.case_name);
    json.at("case_text").get_to(manifest.case_text);
    json.at("case_hash").get_to(manifest.case_hash);
    json.at("version").get_to(manifest.version);
    if (written_as == manifest_schema) json.at("quad_note").get_to(manifest.quad_note);
    manifest.same_noise = written_as == manifest_schema ? json.at("same_noise").get<bool>() : true;
    json.at("runs");  // that it is there
    manifest.entries.reserve(manifest.plan.runs.size());
    for (auto& planned : manifest.plan.runs) {
      if (planned.epsilon && manifest.same_noise) planned.seed = manifest.plan.options.seed;
      manifest.entries.push_back(states.entry(std::move(planned)));
    }
    manifest.plan.runs.clear();
    manifest.plan.runs.shrink_to_fit();
    return manifest;
  } catch (nlohmann::json::exception const& problem) {
    throw InputError(path.string() + ": is no manifest of a study (" + problem.what() +
                     ") start the study anew");
  }
}

void write_manifest(std::filesystem::path const& study, Manifest const& manifest,
                    std::atomic<bool> const* cancel) {
  Json const head = {{"schema", manifest_schema},
                     {"core", manifest.core},
                     {"case", manifest.case_name},
                     {"case_hash", manifest.case_hash},
                     {"version", manifest.version},
                     {"reference", manifest.plan.reference},
                     {"plan", options_json(manifest.plan.options)},
                     {"same_noise", manifest.same_noise},
                     {"quad_note", manifest.quad_note},
                     {"case_text", manifest.case_text}};
  auto text = text_of(head, 1);
  text.resize(text.rfind('\n'));  // of the closing brace: the runs follow, a line each
  text += ",\n \"runs\": {";
  auto const* separator = "\n";
  for (auto const& entry : manifest.entries) {
    stop_where(cancel);
    fmt::format_to(std::back_inserter(text),
                   R"({}  {}: {{"path": {}, "state": "{}", "hash": {}, "wall_s": {}, "reason": {}}})",
                   separator, text_of(entry.run.id), text_of(entry.run.path.generic_string()),
                   state_names[static_cast<int>(entry.state)], text_of(entry.hash), entry.wall_s,
                   text_of(entry.reason));
    separator = ",\n";
  }
  text += "\n }\n}\n";
  write_atomically(study / "manifest.json", io::sealed_json(text));
}

void require_same_study(std::filesystem::path const& study, Manifest const& stored, Manifest const& wanted) {
  auto const refuse = [&](std::string const& what) {
    throw InputError((study / "manifest.json").string() + ": this study was planned otherwise (" + what +
                     ") resume with what it was planned with or use another folder");
  };
  auto const& a = stored.plan.options;
  auto const& b = wanted.plan.options;
  auto const compare_lists = [&](char const* what, std::vector<std::string> const& x,
                                 std::vector<std::string> const& y) {
    if (x != y) {
      refuse(fmt::format("{} were {}, now {}", what, fmt::join(x, ","), fmt::join(y, ",")));
    }
  };
  if (stored.case_text != wanted.case_text) {
    refuse("the case had " + first_difference(stored.case_text, wanted.case_text));
  }
  if (a.configurations.empty() && b.configurations.empty()) {
    compare_lists("policies", a.policies, b.policies);
    compare_lists("assemblies", a.assemblies, b.assemblies);
  }
  compare_lists("configurations", names_of(stored, {}), names_of(wanted, {}));
  if (stored.plan.reference != wanted.plan.reference) {
    refuse(fmt::format("the reference was {}, now {}", stored.plan.reference, wanted.plan.reference));
  }
  compare_lists("epsilons", a.epsilons, b.epsilons);
  compare_lists("perturbed fields", a.perturb, b.perturb);
  if (a.members != b.members) {
    refuse(fmt::format("members were {}, now {}", a.members, b.members));
  }
  if (a.control != b.control) {
    refuse(a.control ? "it has a control ensemble, now none was asked for"
                     : "it has no control ensemble, now one was asked for");
  }
  compare_lists("configurations with members", names_of(stored, 0), names_of(wanted, 0));
  if (a.seed != b.seed) {
    refuse(fmt::format("the seed was {}, now {}", a.seed, b.seed));
  }
  if (a.quad_until.value_or(0) != b.quad_until.value_or(0)) {
    refuse(
        fmt::format("--quad-until was {} s, now {} s", a.quad_until.value_or(0), b.quad_until.value_or(0)));
  }
  if (a.until != b.until) {
    auto const text = [](std::optional<double> until) {
      return until ? fmt::format("{} s", *until) : "the case's time.end";
    };
    refuse(fmt::format("the end was {}, now {}", text(a.until), text(b.until)));
  }
}

void refresh_state(std::filesystem::path const& study, Manifest const& manifest, ManifestEntry& entry) {
  refresh(study, manifest, end_of_runs(manifest), entry);
}

void refresh_states(std::filesystem::path const& study, Manifest& manifest, std::atomic<bool> const* cancel,
                    Share share, int threads) {
  auto const end = end_of_runs(manifest);
  parallel_for(manifest.entries.size(), threads, [&](std::size_t i) {
    if (share.holds(i)) {
      stop_where(cancel);
      refresh(study, manifest, end, manifest.entries[i]);
    }
  });
}

void require_own_runs(std::filesystem::path const& study, Manifest const& manifest) {
  auto const end = end_of_runs(manifest);
  for (auto const& entry : manifest.entries) {
    auto const path = study / entry.run.path / "run.json";
    if (!std::filesystem::exists(path)) {
      continue;
    }
    RunRecord record;
    try {
      record = read_run(path);
    } catch (InputError const&) {
      continue;  // no record that could be lost
    }
    if (auto const difference = mismatch(record, entry.run, manifest, end); !difference.empty()) {
      throw InputError(path.string() + ": is a run of another study (" + difference +
                       ") give the case and options of the study in this folder, or name another folder");
    }
  }
}

void require_same_case(std::filesystem::path const& study, Manifest const& manifest) {
  auto const now = io::CaseFile::load(study / "case.toml");
  auto const planned = io::CaseFile::parse(manifest.case_text, "manifest.json", study);
  auto const tables = verification::judging_tables();
  if (auto const difference = now.difference(planned, tables); !difference.empty()) {
    throw InputError(
        fmt::format("{} (when the study was planned; only {}.* may change) put it back, or start "
                    "another study",
                    difference, fmt::join(tables, ".*, ")));
  }
}

}  // namespace ulpine::ensembles
