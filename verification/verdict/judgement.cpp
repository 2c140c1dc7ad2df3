// SPDX-License-Identifier: Apache-2.0
#include "verification/verdict/judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "io/case_file.hpp"
#include "precision/policy_roundoff.hpp"
#include "verification/statistics/equivalence.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

/// Judges one configuration by its own runs and the reference's.
class Judgement {
 public:
  Judgement(StudyResults const& results, RunResult const& run, RunResult const& reference)
      : results_{results}, run_{run}, reference_{reference} {
    auto& verdict = findings_.verdict;
    verdict.configuration = run.id;
    verdict.policy = run.policy;
    verdict.assembly = run.assembly;
    verdict.device = run.device;
    verdict.control = run.control;
    ensembles_.amplitude = judged_amplitude(results, reference);
    for (auto const& member : results.runs) {
      if (member.epsilon && !member.failed && epsilon_text_of(member) == ensembles_.amplitude.text) {
        if (is_member(member, reference_)) ensembles_.references.push_back(&member);
        if (is_member(member, run_)) ensembles_.members.push_back(&member);
      }
    }
  }

  Verdict judge() {
    if (run_.failed) {
      add_loss(Answer::different, "the run failed: " + *run_.failed);
    } else if (!run_.hash.empty() && run_.hash == reference_.hash) {
      Evidence same;
      same.kind = "error";
      same.subject = "final state";
      same.value = 0;
      same.answer = Answer::equal;
      // Of a program nothing is known but its files, which may hold less than its state.
      same.reason = (run_.assembly.empty() ? "the same output as " : "the same bits as ") + reference_.id;
      findings_.verdict.evidence.push_back(std::move(same));
      findings_.verdict.answer = Answer::equal;
      return std::move(findings_.verdict);
    }
    if (reference_.failed) {
      add_loss(Answer::undecided, "the reference failed: there is nothing to hold the run against");
      findings_.would_decide = {"a study whose reference comes to its end"};
      return conclude();
    }
    judge_gates();
    judge_fields();
    judge_members(reference_, Answer::undecided);
    if (!run_.failed) {
      judge_errors(results_, run_, ensembles_, findings_);
    }
    if (!run_.failed) {
      judge_own_members();
    }
    return conclude();
  }

  Verdict judge_control() {
    judge_members(reference_, Answer::undecided);
    judge_own_members();
    return conclude();
  }

 private:
  /// Whether `member` is a perturbed run of `run`; those of the reference are nobody else's.
  bool is_member(RunResult const& member, RunResult const& run) const {
    return member.member && ensemble_of(member) == ensemble_of(run) &&
           (&run == &reference_ || ensemble_of(run) != ensemble_of(reference_));
  }

  void add_loss(Answer answer, std::string reason) {
    Evidence loss;
    loss.kind = "gate";
    loss.subject = "completed";
    loss.answer = answer;
    loss.reason = std::move(reason);
    findings_.verdict.evidence.push_back(std::move(loss));
  }

  void judge_gates() {
    for (auto const& gate : results_.gates) {
      if (gate.run != run_.id) {
        continue;
      }
      Evidence evidence;
      evidence.kind = "gate";
      evidence.subject = gate.name;
      evidence.value = gate.value;
      evidence.margin = gate.limit;
      if (!gate.skipped.empty()) {
        evidence.answer = Answer::undecided;
        evidence.reason = gate.skipped;
        append_new(findings_.would_decide, "a value for gate " + gate.name + " (" + gate.skipped + ")");
      } else {
        evidence.answer = gate.passed ? Answer::equivalent : Answer::different;
        evidence.reason = gate.reason;
      }
      findings_.verdict.evidence.push_back(std::move(evidence));
    }
  }

  /// Values on one side only, or infinite ones, leave no error to hold anything against: at the last time,
  /// whose metrics say why, or at one before.
  void judge_fields() {
    if (run_.failed) return;
    auto const add = [&](std::string const& field, std::string const& why) {
      Evidence evidence;
      evidence.kind = "error";
      evidence.subject = field;
      evidence.answer = Answer::different;
      evidence.reason = fmt::format("the field {} cannot be compared ({})", field, why);
      findings_.verdict.evidence.push_back(std::move(evidence));
    };
    std::set<std::string> told;
    for (auto const& [field, metrics] : run_.metrics) {
      auto const error = metrics.find("l2_relative");
      if (error == metrics.end() || !error->second.failed()) continue;
      told.insert(field);
      add(field, error->second.reason());
    }
    if (!run_.series) return;
    for (auto const& [field, errors] : run_.series->fields) {
      // A relative error has no value where the reference is 0, the largest one only where none can be
      // formed.
      auto const lost = std::ranges::find_if(errors.linf, [](double error) { return std::isnan(error); });
      if (lost == errors.linf.end() || told.contains(field)) continue;
      add(field, fmt::format("values on one side only, or infinite ones, at {:g} s",
                             run_.series->time_s[static_cast<std::size_t>(lost - errors.linf.begin())]));
    }
  }

  /// Runs that were lost count: the survivors alone say too little of their policy.
  void judge_members(RunResult const& of, Answer answer) {
    std::size_t all = 0, failed = 0;
    std::string first;
    for (auto const& member : results_.runs) {
      if (is_member(member, of)) {
        ++all;
        if (member.failed) {
          first = failed++ == 0 ? member.id + ": " + *member.failed : first;
        }
      }
    }
    if (failed > 0) {
      add_loss(answer,
               fmt::format("{} of {}'s {} perturbed runs failed, {}", failed,
                           answer == Answer::different ? "its policy" : "the reference policy", all, first));
      if (answer == Answer::undecided) {
        append_new(findings_.would_decide, "all perturbed runs of " + of.policy);
      }
    }
  }

  void judge_own_members() {
    judge_members(run_, Answer::different);
    judge_ensembles(results_, run_, ensembles_, findings_);
    std::set<std::string> others;
    for (auto const& member : results_.runs) {
      if (is_member(member, run_) && epsilon_text_of(member) != ensembles_.amplitude.text) {
        others.insert(epsilon_text_of(member));
      }
    }
    if (!others.empty() && !ensembles_.members.empty()) {
      findings_.add_untested("statistic", {},
                             fmt::format("members at {} are shown and not judged: the judged amplitude is {}",
                                         fmt::join(others, ", "), ensembles_.amplitude.text));
    }
  }

  /// Holm's procedure over the tests of this configuration alone decides what is outside; each decides by
  /// itself whether it is inside.
  void answer_by_holm() {
    auto const& tests = findings_.tests;
    std::vector<std::size_t> order(tests.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return tests[a].outside < tests[b].outside; });
    auto rejecting = true;
    for (std::size_t k = 0; k < order.size(); ++k) {
      auto const& test = tests[order[k]];
      rejecting = rejecting && test.outside <= level_of_verdicts / double(order.size() - k);
      auto& evidence = findings_.verdict.evidence[test.evidence];
      if (rejecting) {
        reject(evidence);
      } else if (!test.needed) {
        if (evidence.value)
          evidence.reason = "a test that can show a difference only: none beyond the margin";
      } else if (test.inside >= 1 - level_of_verdicts) {
        accept(evidence, test);
      } else {
        leave_undecided(evidence, test, level_of_verdicts / double(order.size()));
      }
    }
  }

  void accept(Evidence& evidence, PendingTest const& test) {
    evidence.answer = Answer::equivalent;
    if (evidence.kind != "error") {
      evidence.reason =
          test.measurable ? "a difference is measurable, within the margin" : "within the margin";
    } else if (*evidence.value > 0) {
      evidence.reason =
          fmt::format("its error is {:.2g} times below what the perturbation makes", 1 / *evidence.value);
    } else {
      evidence.reason = "it has no error";
    }
  }

  void reject(Evidence& evidence) {
    evidence.reason =
        evidence.kind == "error"
            ? fmt::format("its error is {:.2g} times what the perturbation makes", *evidence.value)
            : "outside the margin";
    auto const holds_at_any = evidence.kind == "statistic" && evidence.part == "mean" &&
                              results_.rules.of_statistic(evidence.subject).kind != Margin::Kind::spread;
    if (ensembles_.amplitude.tolerated || holds_at_any) {
      evidence.answer = Answer::different;
      return;
    }
    evidence.answer = Answer::undecided;
    evidence.reason += fmt::format(" at {}, which is below the tolerated", ensembles_.amplitude.text);
    append_new(findings_.would_decide, ensembles_.amplitude.remedy());
  }

  void leave_undecided(Evidence& evidence, PendingTest const& test, double level) {
    evidence.answer = Answer::undecided;
    auto const needed = test.needed(level);
    if (evidence.kind == "error" && needed > most_pairs) {
      evidence.reason = "its error is as large as what single perturbed runs make";
      append_new(findings_.would_decide,
                 ensembles_.amplitude.tolerated
                     ? "a larger tolerance, or a longer run whose statistics can be tested"
                     : ensembles_.amplitude.remedy());
      return;
    }
    most_needed_ = std::max(most_needed_, needed);
    if (needed <= most_pairs) evidence.needed = needed;
    evidence.reason = evidence.kind == "error" ? "an error beyond the perturbation's cannot be excluded"
                      : test.measurable ? "a difference is measurable; whether it exceeds the margin is not"
                                        : "a difference beyond the margin cannot be excluded";
    evidence.reason += needed > most_pairs ? fmt::format("; not even {} members would decide", most_pairs)
                                           : fmt::format("; {} members would decide", needed);
  }

  Verdict conclude() {
    answer_by_holm();
    auto& verdict = findings_.verdict;
    auto& would_decide = findings_.would_decide;
    verdict.answer = Answer::equivalent;
    for (auto const& evidence : verdict.evidence) {
      verdict.answer = std::max(verdict.answer, evidence.answer.value_or(Answer::equivalent));
    }
    // A test that can only show differences says nothing for equivalence, and gates are no tests.
    auto const spoke = std::any_of(findings_.tests.begin(), findings_.tests.end(),
                                   [](PendingTest const& test) { return bool(test.needed); });
    // Members that were run ask for a comparison of statistics: errors alone do not answer that, or a larger
    // error, at which statistics fall silent, would be trusted where a smaller one is not.
    if (!spoke || findings_.unanswered) {
      verdict.answer = std::max(verdict.answer, Answer::undecided);
      for (auto const& remedy : findings_.remedies) append_new(would_decide, remedy);
    }
    if (verdict.answer == Answer::undecided) {
      if (most_needed_ > 0) {
        would_decide.insert(would_decide.begin(), most_needed_ > most_pairs
                                                      ? fmt::format("more than {} members", most_pairs)
                                                      : fmt::format("{} members", most_needed_));
      }
      verdict.would_decide = fmt::format("{}", fmt::join(would_decide, "; "));
    }
    return std::move(verdict);
  }

  StudyResults const& results_;
  RunResult const& run_;
  RunResult const& reference_;
  Ensembles ensembles_;
  Findings findings_;
  std::int64_t most_needed_ = 0;  ///< members, of all undecided tests
};

}  // namespace

void Findings::add_test(Evidence evidence, double inside, double outside,
                        std::function<std::int64_t(double)> needed, bool measurable) {
  tests.push_back({verdict.evidence.size(), inside, outside, std::move(needed), measurable});
  verdict.evidence.push_back(std::move(evidence));
}

void Findings::add_untested(std::string kind, std::string subject, std::string reason, std::int64_t pairs,
                            std::string const& epsilon_text) {
  Evidence untested;
  untested.kind = std::move(kind);
  untested.subject = std::move(subject);
  untested.epsilon_text = epsilon_text;
  untested.pairs = pairs;
  untested.reason = std::move(reason);
  verdict.evidence.push_back(std::move(untested));
}

std::string const& ensemble_of(RunResult const& run) {
  return run.ensemble.empty() ? run.policy : run.ensemble;
}

std::optional<double> metric_of(RunResult const& run, std::string const& field, char const* name) {
  auto const metrics = run.metrics.find(field);
  if (metrics == run.metrics.end()) {
    return std::nullopt;
  }
  auto const value = metrics->second.find(name);
  return value != metrics->second.end() && value->second.defined() ? std::optional(value->second.number())
                                                                   : std::nullopt;
}

std::string epsilon_text_of(RunResult const& member) {
  return member.epsilon_text.empty() && member.epsilon ? fmt::format("{}", *member.epsilon)
                                                       : member.epsilon_text;
}

void append_new(std::vector<std::string>& list, std::string const& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

bool is_rounding(RunResult const& run, double error) {
  constexpr double roundings = 4;
  return error <= roundings * unit_roundoff(run.policy);
}

double mean_square(std::vector<double> const& values) {
  double sum = 0;
  for (auto const value : values) sum += value * value;
  return sum / double(values.size());
}

JudgedAmplitude judged_amplitude(StudyResults const& results, RunResult const& reference) {
  auto const& asked = results.rules.tolerated;
  auto const limit = asked.empty() ? std::numeric_limits<double>::infinity() : io::parse_power(asked);
  JudgedAmplitude found;
  double largest = 0;
  for (auto const& member : results.runs) {
    if (member.member && member.epsilon && ensemble_of(member) == ensemble_of(reference) &&
        *member.epsilon <= limit && *member.epsilon > largest) {
      largest = *member.epsilon;
      found.text = epsilon_text_of(member);
    }
  }
  if (!asked.empty() && largest != limit) {
    found.tolerated = false;
    found.missing = fmt::format("members at the tolerated perturbation {}", asked);
  }
  return found;
}

Verdict judge_run(StudyResults const& results, RunResult const& run, RunResult const& reference) {
  return Judgement(results, run, reference).judge();
}

Verdict judge_control(StudyResults const& results, RunResult const& reference) {
  auto control = reference;
  control.id = control.ensemble = "control";
  control.control = true;
  return Judgement(results, control, reference).judge_control();
}

}  // namespace ulpine::verification
