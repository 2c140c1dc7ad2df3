// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "core/model/model.hpp"
#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/search/candidates.hpp"
#include "ensembles/search/error_judge.hpp"
#include "ensembles/search/log.hpp"
#include "ensembles/search/probe.hpp"
#include "ensembles/search/probe_program.hpp"
#include "ensembles/study/configuration.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/stage_file.hpp"
#include "ensembles/study/study.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"
#include "verification/gates/rules.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::ensembles::search {
namespace {

namespace fs = std::filesystem;
using verification::Answer;

class WholeSearch {
 public:
  WholeSearch(CaseSource const& source, Options const& options, fs::path const& folder,
              Callbacks const& callbacks)
      : source_{source},
        options_{options},
        folder_{folder},
        callbacks_{callbacks},
        of_program_{names_program(source)} {
    if (!of_program_) return;
    options_.precisions = formats_of(options_.precisions);
    auto const program = read_program(source.load());
    StudyOptions study;
    study.configurations = {options.variant.empty() ? program.variants.front().name : options.variant};
    study.members = 0;
    study.threads = options.threads;
    base_ = make_plan(with_variants(source, study)).runs.front().configuration;
  }

  Result run() {
    require_no_results_but(folder_, "search.json");
    io::require_replaceable(folder_ / "search.json", io::signatures::search);
    io::require_replaceable(folder_ / "search.txt", io::signatures::table);
    io::require_replaceable(folder_ / "stages.toml", io::signatures::stages);
    io::require_replaceable(folder_ / "tried.json", io::signatures::search_log);
    auto const case_file = source_.load();
    auto const probe = of_program_ ? probe_fields() : probe_stages(source_, options_);
    Result result{.core = case_file.core(),
                  .case_name = case_file.name(),
                  .case_hash = {},
                  .provenance = {},
                  .reference = policy_text(base_),
                  .tolerated = verification::read_rules(case_file, judging_of(case_file.core())).tolerated,
                  .until_s = options_.until                              ? *options_.until
                             : of_program_ && !case_file.has("time.end") ? 0
                                                                         : end_time(case_file),
                  .options = options_,
                  .costs = probe.costs,
                  .stages = probe.lowerable,
                  .refused = probe.refused,
                  .found = {},
                  .whole = {},
                  .confirmations = {},
                  .chosen = {},
                  .spent = {},
                  .studies = {},
                  .notes = {}};
    if (result.tolerated.empty()) {
      throw InputError(case_file.path().string() +
                       ": verify.tolerated is missing (errors are held against what a tolerated perturbation "
                       "makes) give its amplitude, e.g. --set verify.tolerated=2^-10");
    }
    result.case_hash = probe.case_hash;
    run_members(result.tolerated);
    ResultsOptions evaluation;
    evaluation.threads = options_.jobs;
    evaluation.cancel = callbacks_.cancel;
    say("reading the members", 0);
    ErrorJudge const judge(folder_ / "reference", evaluation);
    Log log(folder_ / "tried.json", question(result), options_.resume);
    Candidates candidates(
        {folder_, "reference", options_.until, options_.threads, options_.jobs, callbacks_.cancel}, judge,
        log);
    look(result, probe, candidates);
    for (auto const& [configuration, outcome] : log.outcomes()) {
      ++result.spent.runs;
      result.spent.wall_s += outcome.wall_s;
    }
    result.provenance =
        read_run(folder_ / "reference" / "runs" / path_text(policy_text(base_)) / "run.json").provenance;
    confirm(result);
    count_studies(result);
    write(result);
    return result;
  }

 private:
  void say(std::string what, double fraction, std::string event = {}) const {
    if (callbacks_.progress) callbacks_.progress({std::move(what), fraction, std::move(event)});
  }

  /// The base with stages, or fields of a program, in precisions of their own.
  Configuration configuration_of(std::vector<StageOverride> stages) const {
    std::sort(stages.begin(), stages.end(), [](auto const& a, auto const& b) { return a.stage < b.stage; });
    auto configuration = base_;
    configuration.stages = std::move(stages);
    return configuration;
  }

  /// A study of the reference at the tolerated amplitude, and of `others`.
  StudyPlan plan_of(std::string const& tolerated, std::vector<std::string> const& others) const {
    StudyOptions study;
    study.configurations = {policy_text(base_)};
    study.configurations.insert(study.configurations.end(), others.begin(), others.end());
    study.reference = policy_text(base_);
    study.epsilons = {tolerated};
    study.members = options_.members;
    study.seed = options_.seed;
    study.until = options_.until;
    study.threads = options_.threads;
    return make_plan(of_program_ ? with_variants(source_, study) : study);
  }

  /// What a program offers, found out by runs that are removed.
  Probe probe_fields() const {
    say("fields of the program", 0);
    auto const scratch = io::temporary_name(folder_ / "tried" / "fields");
    fs::remove_all(scratch);
    auto probe = probe_program(source_, base_, options_, scratch);
    fs::remove_all(scratch);
    return probe;
  }

  /// Identifies the question that the outcomes in the log answer: they are valid for no other.
  std::string question(Result const& result) const {
    auto const until = options_.until ? fmt::format("until {} s", *options_.until) : "to its end";
    return fmt::format("case {} {}, {} members at {} of seed {}", result.case_hash, until, options_.members,
                       result.tolerated, options_.seed);
  }

  StudyOutcome run_study_of(std::string const& what, CaseSource const& source, StudyPlan const& plan,
                            fs::path const& study, bool resume) const {
    StudyExecution execution;
    execution.jobs = options_.jobs;
    execution.resume = resume;
    execution.cancel = callbacks_.cancel;
    execution.progress = [&](StudyProgress const& now) {
      say(fmt::format("{}: {}/{} runs", what, now.kept + now.done + now.failed, now.total), now.fraction,
          now.event);
    };
    clear_study(study);
    auto const outcome = run_study(source, plan, study, execution);
    if (outcome.interrupted) throw Interrupted();
    return outcome;
  }

  void run_members(std::string const& tolerated) const {
    auto const study = folder_ / "reference";
    clear_study(study);
    run_study_of("the reference", source_, plan_of(tolerated, {}), study, options_.resume);
  }

  void look(Result& result, Probe const& probe, Candidates& candidates) const {
    std::vector<Configuration> whole;
    for (auto const& policy : probe.policies) {
      whole.push_back(of_program_ ? configuration_of({{"*", policy}}) : Configuration{.policy = policy});
    }
    say("whole policies", 0);
    auto const outcomes = candidates.judge(whole);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      result.whole.push_back({probe.policies[i], result.costs.whole(probe.policies[i]), outcomes[i]});
    }
    Space space;
    space.stages = probe.lowerable.size();
    space.bits = probe.bits;
    space.possible = [&](std::size_t stage, int precision) {
      return probe.possible[stage][std::size_t(precision)];
    };
    space.cost = [&](Assignment const& assignment) {
      Assignment all(result.costs.stages().size(), 0);
      for (std::size_t i = 0; i < assignment.size(); ++i) all[probe.lowerable[i]] = assignment[i];
      return result.costs.cost(all);
    };
    auto const judge = [&](std::span<Assignment const> assignments) {
      std::vector<Configuration> configurations;
      for (auto const& assignment : assignments) {
        auto stages = result.overrides(assignment);
        // Whether stages can be separated at all without changing a bit is a run of its own.
        if (stages.empty()) {
          for (auto const stage : probe.lowerable) {
            stages.push_back({result.costs.stages()[stage].name, of_program_ ? "e11m52" : "fp64"});
          }
        }
        configurations.push_back(configuration_of(std::move(stages)));
      }
      return candidates.judge(configurations);
    };
    Limits limits;
    limits.ratio = options_.within;
    limits.runs = options_.runs;
    limits.together = std::size_t(options_.jobs);
    auto const begin = std::chrono::steady_clock::now();
    limits.out_of_time = [&] {
      return options_.time_s &&
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                 *options_.time_s;
    };
    limits.progress = [&](std::string const& what, std::size_t tried) {
      say(fmt::format("{}: {} assignments tried", what, tried), double(tried) / double(options_.runs));
    };
    result.found = find_cheapest(space, judge, limits);
    if (of_program_) {
      result.notes.emplace_back(
          "fields are rounded where the program tells the probe of them; what it computes between is in its "
          "own "
          "arithmetic: a program that also computes in less may need more");
    }
    if (!result.found.complete) {
      result.notes.push_back(fmt::format(
          "the search was cut short after {} assignments: what it chose may not be the cheapest it can find",
          result.found.tried.size()));
    }
    if (!result.found.tried.empty() && result.found.accepted.empty()) {
      result.notes.push_back(
          "the reference with its stages run one by one is not accepted itself: nothing can be said of lower "
          "precisions");
    }
  }

  /// Takes over the reference's runs, which are the study's own but for their place.
  void link_reference(fs::path const& study) const {
    for (auto const& entry : fs::recursive_directory_iterator(folder_ / "reference")) {
      auto const below = entry.path().lexically_relative(folder_ / "reference");
      auto const part = below.begin()->string();
      if (part != "runs" && part != "members" && below != "case.toml") continue;
      if (entry.is_directory()) {
        make_folder(study / below);
      } else if (!fs::exists(study / below)) {
        std::error_code failed;
        fs::create_hard_link(entry.path(), study / below, failed);
        if (failed) fs::copy_file(entry.path(), study / below);
      }
    }
  }

  void confirm(Result& result) const {
    auto const& accepted = result.found.accepted;
    for (auto const trial : accepted) {
      auto const stages = result.overrides(result.found.tried[trial].assignment);
      if (stages.empty()) {
        result.chosen = trial;  // the reference
        return;
      }
      if (options_.confirmations == 0) {
        result.notes.emplace_back("no study confirms what was chosen");
        result.chosen = trial;
        return;
      }
      if (int(result.confirmations.size()) == options_.confirmations) return;
      auto const configuration = policy_text(configuration_of(stages));
      auto const name = study_of(configuration);
      auto const answer = study_answer(name, configuration, result);
      result.confirmations.push_back({trial, name, answer});
      if (answer == Answer::equal || answer == Answer::equivalent) {
        result.chosen = trial;
        return;
      }
      result.notes.push_back(fmt::format(
          "{}: the study with members calls the assignment of cost {:.3f} {}: the next one is tried", name,
          result.found.tried[trial].cost, verification::name_of(answer)));
    }
  }

  /// The study that confirms a configuration: the one that there is, else a new one. A search that goes on
  /// with other limits may choose otherwise than before.
  std::string study_of(std::string const& configuration) const {
    std::vector<std::string> const wanted = {policy_text(base_), configuration};
    for (auto number = 1;; ++number) {
      auto const name = number == 1 ? std::string("confirm") : fmt::format("confirm-{}", number);
      if (!fs::exists(folder_ / name / "manifest.json")) return name;
      if (read_manifest(folder_ / name).plan.options.configurations == wanted) return name;
    }
  }

  Answer study_answer(std::string const& name, std::string const& configuration, Result const& result) const {
    auto const study = folder_ / name;
    make_folder(study);
    auto const plan = plan_of(result.tolerated, {configuration});
    link_reference(study);
    run_study_of(name, {study / "case.toml"}, plan, study, true);
    ResultsOptions evaluation;
    evaluation.threads = options_.jobs;
    evaluation.cancel = callbacks_.cancel;
    auto const results = write_results(study, evaluation);
    for (auto const& verdict : results.verdicts) {
      if (verdict.configuration == configuration) return verdict.answer;
    }
    return Answer::undecided;
  }

  /// The runs of the studies; those that a confirming one takes over from the reference are counted there.
  void count_studies(Result& result) const {
    std::set<fs::path> counted;
    auto const count = [&](std::string const& study) {
      for (auto const& entry : fs::recursive_directory_iterator(folder_ / study)) {
        if (entry.path().filename() == "run.json" &&
            counted.insert(entry.path().lexically_relative(folder_ / study)).second) {
          ++result.studies.runs;
          result.studies.wall_s += read_run(entry.path()).wall_s;
        }
      }
    };
    count("reference");
    for (auto const& confirmation : result.confirmations) count(confirmation.study);
  }

  void write(Result const& result) const {
    write_atomically(folder_ / "search.json", io::sealed_json(search_json(result)));
    write_atomically(folder_ / "search.txt",
                     io::with_signature(search::words_of(result), io::signatures::table));
    if (auto const* choice = result.choice()) {
      StageFile const file{result.case_name, result.case_hash, "fp64", result.until_s,
                           configuration_of(result.overrides(choice->assignment)).stages};
      write_atomically(folder_ / "stages.toml", to_toml(file));
    } else {
      fs::remove(folder_ / "stages.toml");
    }
  }

  CaseSource const& source_;
  Options options_;
  fs::path const& folder_;
  Callbacks const& callbacks_;
  bool of_program_;
  Configuration base_;  ///< the reference
};

}  // namespace

std::vector<StageOverride> Result::overrides(Assignment const& assignment) const {
  std::vector<StageOverride> lowered;
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    if (assignment[i] != 0) {
      lowered.push_back({costs.stages()[stages[i]].name, options.precisions[std::size_t(assignment[i] - 1)]});
    }
  }
  return lowered;
}

Result search(CaseSource const& source, Options const& options, fs::path const& folder,
              Callbacks const& callbacks) {
  return WholeSearch(source, options, folder, callbacks).run();
}

}  // namespace ulpine::ensembles::search
