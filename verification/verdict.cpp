// SPDX-License-Identifier: Apache-2.0
#include "verification/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "verification/equivalence.hpp"

namespace ulpine::verification {
namespace {

/// Members are trajectories of their own where they differ by this many errors of the unperturbed run.
constexpr double spreads_per_error = 3;

std::optional<double> value_of(RunResult const& run, Statistic const& statistic) {
  auto const value = run.statistics.find(statistic.name);
  return run.failed || value == run.statistics.end() ? std::nullopt : std::optional(value->second);
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

/// What the members have in common that a run belongs to or is judged by.
std::string const& ensemble_of(RunResult const& run) {
  return run.ensemble.empty() ? run.policy : run.ensemble;
}

/// Whether every error of `a` is known and no larger than that of `b`.
bool no_farther(RunResult const& a, RunResult const& b) {
  std::set<std::string> fields;
  for (auto const* run : {&a, &b}) {
    for (auto const& [field, metrics] : run->metrics) {
      fields.insert(field);
    }
  }
  auto compared = false;
  for (auto const& field : fields) {
    for (auto const* metric : {"l2_relative", "linf"}) {
      auto const of_a = metric_of(a, field, metric), of_b = metric_of(b, field, metric);
      if (of_a.has_value() != of_b.has_value() || (of_a && *of_a > *of_b)) {
        return false;
      }
      compared = compared || of_a;
    }
  }
  return compared && !a.failed && !b.failed;
}

void append_new(std::vector<std::string>& list, std::string const& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

/// The members of one policy at one amplitude and those of the reference's policy of the same numbers.
struct Pairs {
  std::string epsilon_text;
  std::vector<RunResult const*> tests, references;
};

/// Judges one configuration; the order among several is judge_study()'s.
class Judgement {
 public:
  Judgement(StudyResults const& results, RunResult const& run, RunResult const& reference)
      : results_{results}, run_{run}, reference_{reference} {
    verdict_.configuration = run.id;
    verdict_.policy = run.policy;
    verdict_.assembly = run.assembly;
    verdict_.device = run.device;
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
      same.reason = "the same bits as " + reference_.id;
      verdict_.evidence.push_back(std::move(same));
      verdict_.answer = Answer::equal;
      return std::move(verdict_);
    }
    judge_gates();
    judge_fields();
    judge_members(reference_, Answer::undecided);
    if (ensemble_of(run_) == ensemble_of(reference_)) {
      add_silence({}, {}, 0,
                  "its policy's ensemble is the reference's own: there is nothing to test it with");
      append_new(would_decide_, "another policy, farther from the reference and shown to be equivalent");
    } else if (!run_.failed) {
      judge_members(run_, Answer::different);
      judge_statistics();
    }
    conclude();
    return std::move(verdict_);
  }

 private:
  void add_loss(Answer answer, std::string reason) {
    Evidence loss;
    loss.kind = "gate";
    loss.subject = "completed";
    loss.answer = answer;
    loss.reason = std::move(reason);
    verdict_.evidence.push_back(std::move(loss));
  }

  void add_silence(std::string subject, std::string epsilon_text, std::int64_t pairs, std::string reason) {
    Evidence silence;
    silence.kind = "statistic";
    silence.subject = std::move(subject);
    silence.epsilon_text = std::move(epsilon_text);
    silence.pairs = pairs;
    silence.reason = std::move(reason);
    verdict_.evidence.push_back(std::move(silence));
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
        append_new(would_decide_, "a value for gate " + gate.name + " (" + gate.skipped + ")");
      } else {
        evidence.answer = gate.passed ? Answer::equivalent : Answer::different;
        evidence.reason = gate.reason;
      }
      verdict_.evidence.push_back(std::move(evidence));
    }
  }

  /// Values on one side only, or infinite ones, leave no error to hold anything against.
  void judge_fields() {
    for (auto const& [field, metrics] : run_.metrics) {
      auto const error = metrics.find("l2_relative");
      if (!run_.failed && error != metrics.end() && error->second.failed()) {
        Evidence evidence;
        evidence.kind = "error";
        evidence.subject = field;
        evidence.answer = Answer::different;
        evidence.reason = "the field " + field + " cannot be compared (" + error->second.reason() + ")";
        verdict_.evidence.push_back(std::move(evidence));
      }
    }
  }

  /// Runs that were lost count: the survivors alone say too little of their policy.
  void judge_members(RunResult const& of, Answer answer) {
    std::size_t all = 0, failed = 0;
    std::string first;
    for (auto const& member : results_.runs) {
      if (member.member && ensemble_of(member) == ensemble_of(of)) {
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
        append_new(would_decide_, "all perturbed runs of " + of.policy);
      }
    }
  }

  /// By amplitude, in the order of the runs.
  std::vector<Pairs> pairs() const {
    std::vector<Pairs> list;
    for (auto const& member : results_.runs) {
      if (!member.member || !member.epsilon || ensemble_of(member) != ensemble_of(run_) || member.failed) {
        continue;
      }
      auto const text =
          member.epsilon_text.empty() ? fmt::format("{}", *member.epsilon) : member.epsilon_text;
      auto found = std::find_if(list.begin(), list.end(),
                                [&](Pairs const& candidate) { return candidate.epsilon_text == text; });
      if (found == list.end()) {
        found = list.insert(list.end(), Pairs{text, {}, {}});
      }
      auto const partner =
          std::find_if(results_.runs.begin(), results_.runs.end(), [&](RunResult const& other) {
            return other.member == member.member && other.epsilon == member.epsilon && !other.failed &&
                   ensemble_of(other) == ensemble_of(reference_);
          });
      if (partner != results_.runs.end()) {
        found->tests.push_back(&member);
        found->references.push_back(&*partner);
      }
    }
    return list;
  }

  /// Why the reference's members do not differ enough from each other; empty where they do.
  std::string one_trajectory(Pairs const& pairs) const {
    auto compared = false;
    for (auto const& [field, metrics] : run_.metrics) {
      auto const error = metric_of(run_, field, "l2_relative");
      double squares = 0;
      std::size_t count = 0;
      for (auto const* member : pairs.references) {
        if (auto const distance = metric_of(*member, field, "l2_relative")) {
          squares += *distance * *distance;
          ++count;
        }
      }
      if (!error || count == 0) {
        continue;
      }
      compared = true;
      auto const spread = std::sqrt(squares / double(count));
      if (spread < spreads_per_error * *error) {
        return fmt::format(
            "the reference's members differ by {:.2g} in {}, less than three times this configuration's "
            "error of {:.2g}: they are one trajectory",
            spread, field, *error);
      }
    }
    return compared ? "" : "there is no error to hold the members' spread against";
  }

  void judge_statistics() {
    auto const all = pairs();
    if (all.empty()) {
      append_new(would_decide_, fmt::format("at least {} perturbed members", least_pairs));
    }
    if (results_.statistics.empty()) {
      append_new(would_decide_, "an evaluation of the output that gives a statistic to test");
    }
    for (auto const& pairs : all) {
      auto const merged = one_trajectory(pairs);
      for (auto const& statistic : results_.statistics) {
        judge_statistic(statistic, pairs, merged);
      }
    }
    answer_by_holm();
  }

  void judge_statistic(Statistic const& statistic, Pairs const& pairs, std::string const& merged) {
    std::vector<double> tests, references;
    for (std::size_t i = 0; i < pairs.tests.size(); ++i) {
      auto const test = value_of(*pairs.tests[i], statistic);
      auto const reference = value_of(*pairs.references[i], statistic);
      if (test && reference && std::isfinite(*test) && std::isfinite(*reference)) {
        tests.push_back(*test);
        references.push_back(*reference);
      }
    }
    auto const count = std::int64_t(tests.size());
    auto const silent = [&](std::string const& reason, std::string const& remedy) {
      add_silence(statistic.name, pairs.epsilon_text, count, reason);
      append_new(remedies_, remedy);
    };
    if (count < least_pairs) {
      return silent(fmt::format("{} pairs of members, {} needed", count, least_pairs),
                    fmt::format("at least {} members", least_pairs));
    }
    auto const found = test_equivalence(tests, references, statistic.resolution);
    if (found.spread == 0 && tests == references) {
      return silent("the reference's members have no spread in it", larger);
    }
    if (!merged.empty()) {
      return silent(merged, larger);
    }
    Evidence evidence;
    evidence.kind = "statistic";
    evidence.subject = statistic.name;
    evidence.epsilon_text = pairs.epsilon_text;
    evidence.pairs = count;
    evidence.value = found.difference;
    evidence.interval = found.interval;
    evidence.margin = found.margin;
    evidence.detectable = found.detectable;
    if (found.spread == 0) {
      evidence.answer = Answer::undecided;
      evidence.reason = "it differs, and the reference's members have no spread to make a margin of";
      append_new(would_decide_, larger);
    } else {
      tests_.push_back({verdict_.evidence.size(), found});
    }
    verdict_.evidence.push_back(std::move(evidence));
  }

  void answer_by_holm() {
    std::vector<std::size_t> order(tests_.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return tests_[a].found.inside < tests_[b].found.inside;
    });
    auto rejecting = true;
    for (std::size_t k = 0; k < order.size(); ++k) {
      auto const& [index, found] = tests_[order[k]];
      auto const level = level_of_verdicts / double(order.size() - k);
      rejecting = rejecting && found.inside <= level;
      auto& evidence = verdict_.evidence[index];
      auto const measurable = found.interval[0] > 0 || found.interval[1] < 0;
      if (rejecting) {
        evidence.answer = Answer::different;
        evidence.reason = "outside the margin";
      } else if (found.inside >= 1 - level_of_verdicts) {
        evidence.answer = Answer::equivalent;
        evidence.reason = measurable ? "a difference is measurable, within the margin" : "within the margin";
      } else {
        evidence.answer = Answer::undecided;
        auto const needed = pairs_to_decide(found, level_of_verdicts / double(order.size()));
        members_ = std::max(members_, needed);
        evidence.reason =
            std::string(measurable ? "a difference is measurable; whether it exceeds the margin is not"
                                   : "a difference beyond the margin cannot be excluded") +
            (needed > most_pairs ? fmt::format("; not even {} members would decide", most_pairs)
                                 : fmt::format("; {} members would decide", needed));
      }
    }
  }

  void conclude() {
    verdict_.answer = Answer::equivalent;
    for (auto const& evidence : verdict_.evidence) {
      verdict_.answer = std::max(verdict_.answer, evidence.answer.value_or(Answer::equivalent));
    }
    if (tests_.empty()) {
      verdict_.answer = std::max(verdict_.answer, Answer::undecided);
      for (auto const& remedy : remedies_) {
        append_new(would_decide_, remedy);
      }
    }
    if (verdict_.answer == Answer::undecided) {
      if (members_ > 0) {
        would_decide_.insert(would_decide_.begin(), members_ > most_pairs
                                                        ? fmt::format("more than {} members", most_pairs)
                                                        : fmt::format("{} members", members_));
      }
      verdict_.would_decide = fmt::format("{}", fmt::join(would_decide_, "; "));
    }
  }

  static constexpr char const* larger = "larger perturbations or a longer run";
  struct Test {
    std::size_t evidence;  ///< index
    EquivalenceTest found;
  };
  StudyResults const& results_;
  RunResult const& run_;
  RunResult const& reference_;
  Verdict verdict_;
  std::vector<Test> tests_;
  std::int64_t members_ = 0;  ///< most that an undecided test needs
  std::vector<std::string> would_decide_;
  std::vector<std::string> remedies_;  ///< of silence, of use where nothing spoke
};

void take_over(Verdict& verdict, Verdict const& other, std::string reason) {
  Evidence evidence;
  evidence.kind = "error";
  evidence.subject = other.configuration;
  evidence.answer = other.answer;
  evidence.reason = std::move(reason);
  verdict.answer = other.answer;
  verdict.would_decide = other.answer == Answer::undecided
                             ? fmt::format("what decides {} ({})", other.configuration, other.would_decide)
                             : "";
  verdict.evidence.push_back(std::move(evidence));
}

/// No configuration gets a better answer than one that is closer to the reference.
void keep_order(std::vector<Verdict>& verdicts, std::vector<RunResult const*> const& runs,
                RunResult const& reference) {
  auto const judged = verdicts;
  // Without an ensemble of its own and with nothing against it: what is missing is a test, not closeness.
  auto const untested = [&](std::size_t i) {
    auto const& evidence = judged[i].evidence;
    return ensemble_of(*runs[i]) == ensemble_of(reference) && judged[i].answer == Answer::undecided &&
           std::none_of(evidence.begin(), evidence.end(),
                        [](Evidence const& item) { return item.answer == Answer::undecided; });
  };
  for (std::size_t far = 0; far < verdicts.size(); ++far) {
    if (judged[far].answer == Answer::equal) {
      continue;
    }
    for (std::size_t close = 0; close < verdicts.size(); ++close) {
      if (close != far && !untested(close) && judged[close].answer > verdicts[far].answer &&
          no_farther(*runs[close], *runs[far])) {
        take_over(verdicts[far], judged[close],
                  fmt::format("the errors of {} are all no larger, and it is {}", judged[close].configuration,
                              name_of(judged[close].answer)));
      }
    }
  }
  auto const ordered = verdicts;
  for (std::size_t close = 0; close < verdicts.size(); ++close) {
    for (std::size_t far = 0; far < verdicts.size() && untested(close); ++far) {
      if (close != far && ordered[close].answer == Answer::undecided &&
          ordered[far].answer == Answer::equivalent && no_farther(*runs[close], *runs[far])) {
        take_over(verdicts[close], ordered[far],
                  fmt::format("its errors are all no larger than those of {}, which is equivalent",
                              ordered[far].configuration));
        break;
      }
    }
  }
}

}  // namespace

void judge_study(StudyResults& results) {
  results.verdicts.clear();
  auto const* reference = results.find_run(results.reference);
  std::vector<RunResult const*> runs;
  for (auto const& run : results.runs) {
    if (!run.member && !run.epsilon && &run != reference && reference != nullptr) {
      results.verdicts.push_back(Judgement(results, run, *reference).judge());
      runs.push_back(&run);
    }
  }
  if (reference != nullptr) {
    keep_order(results.verdicts, runs, *reference);
  }

  results.answer = results.missing.runs > 0 ? Answer::undecided : Answer::equal;
  std::map<std::string, std::vector<std::string>> waiting;
  std::vector<std::string> order;
  auto const wait = [&](std::string const& configuration, std::string const& what) {
    append_new(order, what);
    append_new(waiting[what], configuration);
  };
  for (auto const& verdict : results.verdicts) {
    results.answer = std::max(results.answer, verdict.answer);
    if (verdict.answer == Answer::undecided) {
      wait(verdict.configuration, verdict.would_decide);
    }
  }
  for (auto const& gate : results.gates) {
    auto const answer = !gate.skipped.empty() ? Answer::undecided
                        : gate.passed         ? Answer::equal
                                              : Answer::different;
    results.answer = std::max(results.answer, answer);
    auto const judged =
        std::find_if(results.verdicts.begin(), results.verdicts.end(),
                     [&](Verdict const& verdict) { return verdict.configuration == gate.run; });
    if (answer == Answer::undecided &&
        (judged == results.verdicts.end() || judged->answer != Answer::undecided)) {
      wait(gate.run, "a value for gate " + gate.name + " (" + gate.skipped + ")");
    }
  }
  if (reference == nullptr || reference->failed) {
    results.answer = Answer::different;
  }
  results.would_decide.clear();
  if (results.answer == Answer::undecided) {
    if (results.missing.runs > 0) {
      results.would_decide = words_of(results.missing);
    }
    for (auto const& what : order) {
      results.would_decide += fmt::format("{}{}: {}", results.would_decide.empty() ? "" : "; ",
                                          fmt::join(waiting[what], ", "), what);
    }
  }
}

std::string tally_of(StudyResults const& results) {
  std::string text;
  for (auto const answer : {Answer::equal, Answer::equivalent, Answer::undecided, Answer::different}) {
    auto const count = std::count_if(results.verdicts.begin(), results.verdicts.end(),
                                     [&](Verdict const& verdict) { return verdict.answer == answer; });
    if (count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(answer));
    }
  }
  auto const worst = std::max_element(results.verdicts.begin(), results.verdicts.end(),
                                      [](Verdict const& a, Verdict const& b) { return a.answer < b.answer; });
  if (worst == results.verdicts.end()) {
    text = "nothing to judge beside the reference";
  }
  if (results.answer > (worst == results.verdicts.end() ? Answer::equal : worst->answer)) {
    text += results.answer == Answer::different ? "; a gate or a run failed"
            : results.missing.runs > 0          ? "; runs are missing"
                                                : "; a gate could not be judged";
  }
  return text;
}

std::string words_of(MissingRuns const& missing) {
  return fmt::format("{} of {} runs have not been done, which `{}` does", missing.runs, missing.of,
                     missing.command);
}

std::string words_of(Evidence const& evidence) {
  auto text = evidence.subject;
  if (!evidence.epsilon_text.empty()) {
    text += " at eps=" + evidence.epsilon_text;
  }
  text += text.empty() ? "" : ": ";
  if (evidence.value && evidence.interval) {
    text += fmt::format("difference {:.3g} in [{:.3g}, {:.3g}], ", *evidence.value, (*evidence.interval)[0],
                        (*evidence.interval)[1]);
  } else if (evidence.value && evidence.kind == "gate") {
    text += fmt::format("{:.4g}, ", *evidence.value);
  }
  if (evidence.margin) {
    text += fmt::format("{} {:.4g}, ", evidence.kind == "gate" ? "limit" : "margin", *evidence.margin);
  }
  text += evidence.answer ? name_of(*evidence.answer) : "silent";
  return evidence.reason.empty() ? text : text + " (" + evidence.reason + ")";
}

}  // namespace ulpine::verification
