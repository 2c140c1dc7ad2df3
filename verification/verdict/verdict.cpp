// SPDX-License-Identifier: Apache-2.0
#include "verification/verdict/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "verification/verdict/judgement.hpp"

namespace ulpine::verification {
namespace {

/// Whether the error of `a` is no larger at any output time at which both are known. At the last time alone
/// trajectories that have parted are as far from the reference as each other, but for chance.
bool no_farther_on_the_way(RunResult const& a, RunResult const& b, std::string const& field) {
  if (!a.series || !b.series || !a.series->fields.contains(field) || !b.series->fields.contains(field)) {
    return true;
  }
  auto const& of_a = a.series->fields.at(field).l2_relative;
  auto const& of_b = b.series->fields.at(field).l2_relative;
  for (std::size_t time = 0; time < std::min(of_a.size(), of_b.size()); ++time) {
    if (of_a[time] > of_b[time]) return false;  // NaN is no larger than anything
  }
  return true;
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
    if (!no_farther_on_the_way(a, b, field)) return false;
  }
  return compared && !a.failed && !b.failed;
}

/// Whether nothing spoke of a configuration, for or against it: what is missing is a test, not closeness.
bool is_untested(Verdict const& verdict) {
  return verdict.answer == Answer::undecided &&
         std::ranges::none_of(verdict.evidence,
                              [](Evidence const& item) { return item.answer == Answer::undecided; });
}

/// Pairs of which the closer one has the worse answer.
std::vector<BrokenOrder> broken_order(std::vector<Verdict> const& verdicts,
                                      std::vector<RunResult const*> const& runs) {
  std::vector<BrokenOrder> broken;
  for (std::size_t far = 0; far < verdicts.size(); ++far) {
    if (verdicts[far].answer == Answer::equal) continue;
    for (std::size_t close = 0; close < verdicts.size(); ++close) {
      if (verdicts[close].answer > verdicts[far].answer && !is_untested(verdicts[close]) &&
          no_farther(*runs[close], *runs[far])) {
        broken.push_back({verdicts[close].configuration, verdicts[close].answer, verdicts[far].configuration,
                          verdicts[far].answer});
      }
    }
  }
  return broken;
}

}  // namespace

void judge_study(StudyResults& results) {
  results.verdicts.clear();
  auto const* reference = results.find_run(results.reference);
  std::vector<RunResult const*> runs;
  for (auto const& run : results.runs) {
    if (!run.member && !run.epsilon && &run != reference && reference != nullptr) {
      results.verdicts.push_back(judge_run(results, run, *reference));
      runs.push_back(&run);
    }
  }
  results.broken_order = broken_order(results.verdicts, runs);

  auto const has_control =
      std::any_of(results.runs.begin(), results.runs.end(), [](RunResult const& run) { return run.control; });
  if (reference != nullptr && !reference->failed && has_control) {
    results.verdicts.push_back(judge_control(results, *reference));
  }

  results.answer = results.missing.runs > 0 ? Answer::undecided : Answer::equal;
  std::map<std::string, std::vector<std::string>> waiting;
  std::vector<std::string> order;
  auto const wait = [&](std::string const& configuration, std::string const& what) {
    append_new(order, what);
    append_new(waiting[what], configuration);
  };
  for (auto const& verdict : results.verdicts) {
    if (verdict.control) {
      // Equal runs that come out different show that the tests cannot be believed here, whatever they say.
      if (verdict.answer == Answer::different) {
        results.answer = std::max(results.answer, Answer::undecided);
        wait(verdict.configuration, "another seed or more members: the reference is different from itself");
      }
      continue;
    }
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
    auto const count =
        std::count_if(results.verdicts.begin(), results.verdicts.end(),
                      [&](Verdict const& verdict) { return !verdict.control && verdict.answer == answer; });
    if (count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(answer));
    }
  }
  auto worst = Answer::equal;
  for (auto const& verdict : results.verdicts) {
    if (!verdict.control) worst = std::max(worst, verdict.answer);
  }
  if (text.empty()) {
    text = "nothing to judge beside the reference";
  }
  for (auto const& verdict : results.verdicts) {
    if (verdict.control) text += fmt::format("; control {}", name_of(verdict.answer));
  }
  if (!results.broken_order.empty()) text += "; order of errors broken";
  if (results.answer > worst) {
    text += results.answer == Answer::different ? "; a gate or a run failed"
            : results.missing.runs > 0          ? "; runs are missing"
                                                : "; a gate or the control could not be judged";
  }
  return text;
}

std::string words_of(BrokenOrder const& broken) {
  return fmt::format(
      "order of errors broken: those of {} are all no larger than those of {}, yet {} is {} and {} {}; no "
      "answer was changed for it",
      broken.closer, broken.farther, broken.closer, name_of(broken.closer_answer), broken.farther,
      name_of(broken.farther_answer));
}

std::string words_of(MissingRuns const& missing) {
  return fmt::format("{} of {} runs have not been done, which `{}` does", missing.runs, missing.of,
                     missing.command);
}

std::string words_of(Evidence const& evidence) {
  auto text = evidence.subject;
  if (evidence.part == "spread") {
    text = "spread of " + text;
  } else if (evidence.kind == "distribution") {
    text = "distribution of " + text;
  }
  if (!evidence.epsilon_text.empty()) {
    text += " at eps=" + evidence.epsilon_text;
  }
  text += text.empty() ? "" : ": ";
  auto const ratio = evidence.kind == "error" || evidence.part == "spread";
  auto const* what = ratio ? "ratio" : evidence.kind == "distribution" ? "distance" : "difference";
  if (evidence.value && evidence.interval) {
    text += fmt::format("{} {:.3g} in [{:.3g}, {:.3g}], ", what, *evidence.value, (*evidence.interval)[0],
                        (*evidence.interval)[1]);
  } else if (evidence.value && evidence.margin) {
    text += evidence.kind == "gate" ? fmt::format("{:.4g}, ", *evidence.value)
                                    : fmt::format("{} {:.3g}, ", what, *evidence.value);
  }
  if (evidence.margin) {
    text += fmt::format("{} {:.4g}{}, ", evidence.kind == "gate" ? "limit" : "margin", *evidence.margin,
                        evidence.margin_text.empty() ? "" : " (" + evidence.margin_text + ")");
  }
  text += evidence.answer ? name_of(*evidence.answer) : "not tested";
  return evidence.reason.empty() ? text : text + " (" + evidence.reason + ")";
}

}  // namespace ulpine::verification
