// SPDX-License-Identifier: Apache-2.0
#include "cli/predicted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/console.hpp"
#include "cli/text_table.hpp"
#include "core/model/model.hpp"
#include "core/model/operations.hpp"
#include "ensembles/cards/case_loads.hpp"
#include "ensembles/cards/fit.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/case_source.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::cli {
namespace {

namespace cards = ensembles::cards;
using Json = nlohmann::ordered_json;

constexpr io::FileSignature efficiencies{io::FileSignature::Place::start, cards::efficiency_head,
                                         "efficiencies of a card"},
    predictions{io::FileSignature::Place::schema, "ulpine.cards/", "predictions for cards"};

/// "2.93 ms".
std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

/// A card with the efficiencies that hold for it.
struct CardOfUser {
  cards::Card card;
  cards::ChosenEfficiency efficiency;

  explicit CardOfUser(std::string const& name)
      : card{cards::find_card(name)}, efficiency{cards::efficiency_for(card)} {}
  cards::Prediction predict(std::vector<cards::StageLoad> const& loads) const {
    return cards::predict(loads, card, efficiency.efficiency);
  }
};

/// The loads of a step in each policy that can be predicted, "fp64" first.
using PolicyLoads = std::vector<std::pair<std::string, std::vector<cards::StageLoad>>>;
PolicyLoads loads_of_policies(cards::CountedCase const& counted) {
  PolicyLoads loads;
  for (auto const& policy : counted.policies()) {
    loads.emplace_back(policy, counted.loads(policy));
  }
  return loads;
}

/// The step in a policy.
struct PolicyStep {
  std::string policy;
  cards::Prediction step;
};

std::vector<PolicyStep> steps_of(PolicyLoads const& policies, CardOfUser const& on) {
  std::vector<PolicyStep> steps;
  for (auto const& [policy, loads] : policies) steps.push_back({policy, on.predict(loads)});
  return steps;
}

/// Names of the pipes that instructions go to, but whose rate nobody states.
std::vector<std::string> not_counted(std::vector<cards::StageLoad> const& loads, cards::Card const& card) {
  std::vector<std::string> names;
  for (auto const pipe : cards::pipes_without_rate(loads, card)) names.emplace_back(name_of(pipe));
  return names;
}

/// What the efficiencies are of, and which stages they do not tell the time of: loops of kernels, where none
/// were measured.
std::string words_of(std::vector<cards::StageLoad> const& loads, CardOfUser const& on) {
  std::vector<std::string> loops;
  for (auto const& load : loads) {
    if (load.is_loop() && !on.efficiency.efficiency.kernel_latency) loops.push_back(load.name);
  }
  if (loops.empty()) return on.efficiency.words;
  return fmt::format("{}; loops of many kernels take longer, as their latencies are not counted: {}",
                     on.efficiency.words, fmt::join(loops, ", "));
}

std::string table_of_stages(cards::Prediction const& step) {
  std::vector<std::array<std::string, 5>> rows = {{"stage", "launches", "time", "share", "waits for"}};
  for (auto const& stage : step.stages) {
    rows.push_back({stage.name, fmt::format("{:.4g}", stage.launches), time_text(stage.seconds),
                    percent(stage.seconds / step.seconds), name_of(stage.bound)});
  }
  return table_of(rows);
}

std::string table_of_policies(std::vector<PolicyStep> const& steps) {
  std::vector<std::array<std::string, 4>> rows = {{"policy", "step", "of fp64's", "waits for"}};
  for (auto const& [policy, step] : steps) {
    std::vector<std::string> waits;
    for (auto const& [bound, share] : cards::waits_of(step)) {
      waits.push_back(fmt::format("{} {}", name_of(bound), percent(share)));
    }
    rows.push_back({policy, time_text(step.seconds),
                    fmt::format("{:.3f}", step.seconds / steps.front().step.seconds),
                    fmt::format("{}", fmt::join(waits, ", "))});
  }
  return table_of(rows);
}

Json json_of(cards::Prediction const& step) {
  auto stages = Json::array();
  for (auto const& stage : step.stages) {
    stages.push_back({{"name", stage.name},
                      {"launches", stage.launches},
                      {"seconds", stage.seconds},
                      {"waits_for", name_of(stage.bound)}});
  }
  return {{"seconds", step.seconds}, {"stages", stages}};
}

/// What each stage asks for in a step.
Json json_of(std::vector<cards::StageLoad> const& loads) {
  auto stages = Json::array();
  for (auto const& load : loads) {
    auto instructions = Json::object();
    for (std::size_t i = 0; i < cards::pipes; ++i) {
      instructions[name_of(static_cast<cards::Pipe>(i))] = load.instructions[i];
    }
    stages.push_back({{"name", load.name},
                      {"bytes", load.bytes},
                      {"moved_bytes", load.moved_bytes()},
                      {"instructions", instructions},
                      {"operations", load.operations},
                      {"kernels", load.kernels},
                      {"points", load.points},
                      {"numbers", load.numbers}});
  }
  return stages;
}

/// The stages that judge, with what is predicted of them.
std::string table_of_judged(std::vector<cards::JudgedStage> const& stages) {
  std::vector<std::array<std::string, 6>> rows = {
      {"stage", "run", "measured", "predicted", "error", "waits for"}};
  for (auto const& stage : stages) {
    rows.push_back({stage.name, stage.run, time_text(stage.seconds), time_text(stage.predicted),
                    fmt::format("{:+.1f} %", 100 * stage.error()), name_of(stage.bound)});
  }
  return table_of(rows);
}

/// "CASE.toml=out/run.json".
std::pair<std::filesystem::path, std::filesystem::path> parse_fit(std::string const& text) {
  auto const equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw InputError(
        "--fit '" + text +
        "' names no run of a case (CASE.toml=run.json is needed) write e.g. case.toml=out/run/run.json");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The timed stages of a run with what all their launches asked for. InputError where the run is not of that
/// case, or in a policy that is not predicted.
std::vector<cards::MeasuredStage> measured_stages(ensembles::RunRecord const& record,
                                                  cards::CountedCase const& counted,
                                                  std::filesystem::path const& path) {
  auto const case_file = counted.source().load();
  make_model(case_file, {});  // reads all keys
  if (record.case_hash != io::hex(case_file.hash())) {
    throw InputError(path.string() + ": is a run of another case than " + case_file.path().string() +
                     " (their hashes differ) name the case of that run");
  }
  std::map<std::string, cards::StageLoad> of_step;
  for (auto& load : counted.loads(record.policy)) of_step.emplace(load.name, std::move(load));
  std::vector<cards::MeasuredStage> stages;
  for (auto const& cost : record.stages) {
    auto const found = of_step.find(cost.name);
    if (found == of_step.end() || cost.timed == 0 || !(cost.seconds > 0)) continue;
    auto load = found->second.times(static_cast<double>(cost.launches) / found->second.launches);
    load.bytes = cost.bytes;
    stages.push_back({std::move(load), cost.seconds, record.case_name + "/" + record.policy});
  }
  return stages;
}

}  // namespace

int predict_stages(CasesOptions const& options) {
  require_case_file(options.stages);
  CardOfUser const on(options.on);
  cards::require_types(options.policy);
  cards::CountedCase const counted(ensembles::CaseSource{options.stages}, options.steps, options.threads);
  auto const loads = counted.loads(options.policy);
  auto const step = on.predict(loads);
  auto const steps = steps_of(loads_of_policies(counted), on);
  auto const core = counted.source().load().core();
  auto const file = std::filesystem::path(options.stages).filename().string();
  auto const without = not_counted(loads, on.card);
  if (options.json) {
    Json document = {{"schema", "ulpine.prediction/1"},
                     {"predicted", true},
                     {"core", core},
                     {"case", file},
                     {"card", on.card.id},
                     {"card_name", on.card.name},
                     {"efficiencies", words_of(loads, on)},
                     {"not_counted", without},
                     {"policy", options.policy},
                     {"loads", json_of(loads)},
                     {"step", json_of(step)},
                     {"policies", Json::object()}};
    for (auto const& [policy, of_policy] : steps) document["policies"][policy] = json_of(of_policy);
    print_json(options.common, document);
    return exit_code::done;
  }
  print(options.common, table_of_stages(step));
  print(options.common, fmt::format("core {}, {}, {} on {}, predicted: {} a step; {}\n", core, options.policy,
                                    file, on.card.name, time_text(step.seconds), words_of(loads, on)));
  if (!without.empty()) {
    print(
        options.common,
        fmt::format(
            "no source tells this card's rate of {}: such instructions count only among those of all pipes\n",
            fmt::join(without, ", ")));
  }
  print(options.common, "\n" + table_of_policies(steps));
  return exit_code::done;
}

int fit_card(CasesOptions const& options) {
  auto const card = cards::find_card(options.on);
  if (!options.output.empty()) io::require_replaceable(options.output, efficiencies);
  std::vector<cards::MeasuredStage> stages;
  std::vector<std::string> runs;
  std::map<std::filesystem::path, cards::CountedCase> by_case;
  for (auto const& text : options.fit) {
    auto const [case_file, run] = parse_fit(text);
    require_case_file(case_file);
    auto const record = ensembles::read_run(run);
    cards::require_types(record.policy);
    auto const& counted = by_case.try_emplace(case_file, ensembles::CaseSource{case_file}).first->second;
    std::ranges::move(measured_stages(record, counted, run), std::back_inserter(stages));
    runs.push_back(fmt::format("{}/{}, {}, {}", record.core, record.case_name, record.policy, record.device));
  }
  auto measured = cards::fit_and_judge(stages, card);
  measured.judgement.card = card.id;
  measured.judgement.runs = runs;
  auto const text = cards::to_toml(measured);
  if (options.output.empty()) {
    print(options.common, text);
  } else {
    ensembles::write_atomically(options.output, text);
    print(options.common,
          table_of_judged(cards::judge(cards::halve(stages).judged, card, measured.efficiency)));
    print(options.common, options.output.string() + "\n");
  }
  return exit_code::done;
}

void write_predictions(std::filesystem::path const& study, std::vector<std::string> const& names) {
  auto const file = study / "cards.json";
  io::require_replaceable(file, predictions);
  std::vector<CardOfUser> users;
  for (auto const& name : names) users.emplace_back(name);
  cards::CountedCase const counted(ensembles::CaseSource{study / "case.toml"});
  auto const policies = loads_of_policies(counted);
  auto const case_file = counted.source().load();
  Json document = {{"schema", "ulpine.cards/1"},
                   {"case", {{"core", case_file.core()}, {"name", case_file.name()}}},
                   {"cards", Json::array()}};
  for (auto const& user : users) {
    Json card = {{"card", user.card.id},
                 {"name", user.card.name},
                 {"efficiencies", words_of(policies.front().second, user)},
                 {"not_counted", not_counted(policies.front().second, user.card)},
                 {"policies", Json::array()}};
    for (auto const& [policy, step] : steps_of(policies, user)) {
      auto waits = Json::array();
      for (auto const& [bound, share] : cards::waits_of(step)) {
        waits.push_back({{"for", name_of(bound)}, {"share", share}});
      }
      card["policies"].push_back(
          {{"policy", policy}, {"seconds", step.seconds}, {"waits", std::move(waits)}});
    }
    document["cards"].push_back(std::move(card));
  }
  ensembles::write_atomically(file, io::sealed_json(document.dump(2)));
}

}  // namespace ulpine::cli
