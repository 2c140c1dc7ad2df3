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

namespace ulpine::cli {
namespace {

namespace cards = ensembles::cards;
using Json = nlohmann::ordered_json;

/// "2.93 ms".
std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

/// What a step waits for, with its share of the time, the largest first.
std::vector<std::pair<std::string, double>> waits_of(cards::Prediction const& prediction) {
  std::map<std::string, double> shares;
  for (auto const& stage : prediction.stages)
    shares[name_of(stage.bound)] += stage.seconds / prediction.seconds;
  std::vector<std::pair<std::string, double>> waits(shares.begin(), shares.end());
  std::ranges::stable_sort(waits, std::greater{}, &std::pair<std::string, double>::second);
  return waits;
}

/// A case's stages on a card.
class CaseOnCard {
 public:
  CaseOnCard(ensembles::CaseSource source, std::string const& card)
      : source_{std::move(source)},
        card_{cards::find_card(card)},
        efficiency_{cards::efficiency_for(card_)},
        costs_{cards::shipped_operation_costs()},
        counted_{count_operations(source_.load(), cards::counted_steps)} {}

  std::vector<cards::StageLoad> loads(std::string const& policy) const {
    return cards::loads_of(counted_, cards::require_types(policy), cards::bytes_of_launches(source_, policy),
                           costs_);
  }
  cards::Prediction predict(std::vector<cards::StageLoad> const& loads) const {
    return cards::predict(loads, card_, efficiency_.efficiency);
  }
  cards::Card const& card() const { return card_; }
  std::string const& words() const { return efficiency_.words; }
  ensembles::CaseSource const& source() const { return source_; }

 private:
  ensembles::CaseSource source_;
  cards::Card card_;
  cards::ChosenEfficiency efficiency_;
  cards::OperationCosts costs_;
  CountedOperations counted_;
};

/// "fp64", its step and what it waits for.
struct PolicyStep {
  std::string policy;
  cards::Prediction step;
};

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
    for (auto const& [what, share] : waits_of(step))
      waits.push_back(fmt::format("{} {}", what, percent(share)));
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
std::vector<cards::MeasuredStage> measured_stages(ensembles::RunRecord const& record, CaseOnCard const& on,
                                                  std::filesystem::path const& path) {
  auto const case_file = on.source().load();
  make_model(case_file, {});  // reads all keys
  if (record.case_hash != io::hex(case_file.hash())) {
    throw InputError(path.string() + ": is a run of another case than " + case_file.path().string() +
                     " (their hashes differ) name the case of that run");
  }
  std::map<std::string, cards::StageLoad> of_step;
  for (auto& load : on.loads(record.policy)) of_step.emplace(load.name, std::move(load));
  std::vector<cards::MeasuredStage> stages;
  for (auto const& cost : record.stages) {
    auto const found = of_step.find(cost.name);
    if (found == of_step.end() || cost.timed == 0 || !(cost.seconds > 0)) continue;
    auto load = found->second;
    auto const times = static_cast<double>(cost.launches) / load.launches;
    load.launches = static_cast<double>(cost.launches);
    load.bytes = cost.bytes;
    for (auto& count : load.instructions) count *= times;
    stages.push_back({std::move(load), cost.seconds});
  }
  return stages;
}

}  // namespace

int predict_stages(CasesOptions const& options) {
  require_case_file(options.stages);
  CaseOnCard const on(ensembles::CaseSource{options.stages}, options.on);
  auto const loads = on.loads(options.policy);
  auto const step = on.predict(loads);
  std::vector<PolicyStep> steps;
  for (auto const& policy : cards::predicted_policies(on.source())) {
    steps.push_back({policy, on.predict(on.loads(policy))});
  }
  auto const core = on.source().load().core();
  auto const file = std::filesystem::path(options.stages).filename().string();
  std::vector<std::string> without;
  for (auto const pipe : cards::pipes_without_rate(loads, on.card())) without.emplace_back(name_of(pipe));
  if (options.json) {
    Json document = {{"schema", "ulpine.prediction/1"},
                     {"predicted", true},
                     {"core", core},
                     {"case", file},
                     {"card", on.card().id},
                     {"card_name", on.card().name},
                     {"efficiencies", on.words()},
                     {"not_counted", without},
                     {"policy", options.policy},
                     {"step", json_of(step)},
                     {"policies", Json::object()}};
    for (auto const& [policy, of_policy] : steps) document["policies"][policy] = json_of(of_policy);
    print_json(options.common, document);
    return exit_code::done;
  }
  print(options.common, table_of_stages(step));
  print(options.common,
        fmt::format("core {}, {}, {} on {}, predicted: {} a step; {}\n\n", core, options.policy, file,
                    on.card().name, time_text(step.seconds), on.words()));
  if (!without.empty()) {
    print(options.common,
          fmt::format("no source tells this card's rate of: {} (these instructions are not counted)\n\n",
                      fmt::join(without, ", ")));
  }
  print(options.common, table_of_policies(steps));
  return exit_code::done;
}

int fit_card(CasesOptions const& options) {
  std::vector<cards::MeasuredStage> stages;
  std::vector<std::string> runs;
  std::map<std::filesystem::path, CaseOnCard> by_case;
  for (auto const& text : options.fit) {
    auto const [case_file, run] = parse_fit(text);
    require_case_file(case_file);
    auto const& on =
        by_case.try_emplace(case_file, ensembles::CaseSource{case_file}, options.on).first->second;
    auto const record = ensembles::read_run(run);
    auto found = measured_stages(record, on, run);
    std::ranges::move(found, std::back_inserter(stages));
    runs.push_back(fmt::format("{}/{}, {}, {}", record.core, record.case_name, record.policy, record.device));
  }
  auto const card = cards::find_card(options.on);
  auto measured = cards::fit_and_judge(stages, card);
  measured.judgement.card = card.id;
  measured.judgement.runs = runs;
  auto const text = cards::to_toml(measured);
  if (options.output.empty()) {
    print(options.common, text);
  } else {
    ensembles::write_atomically(options.output, text);
    print(options.common, options.output.string() + "\n");
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
