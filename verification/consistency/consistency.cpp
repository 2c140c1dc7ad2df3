// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>

#include "io/error.hpp"
#include "verification/consistency/last_bits.hpp"
#include "verification/consistency/method.hpp"
#include "verification/consistency/points.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::array<MethodInfo, 7> infos = {{
    {"pca",
     "do the global means of new runs lie where those of the ensemble do, along its principal components?",
     "PyCECT (Baker et al. 2015)"},
    {"tolerance",
     "do smallest, mean and largest values of each level stay as near to the reference as members do?",
     "probtest"},
    {"twosample", "do means and spreads of the variables come from one distribution?",
     "EVV4ESM (Mahajan et al. 2017)"},
    {"outliers", "does each new run by itself lie where members do, in extremes, means and at every point?",
     "Dixon's question, by members left out in turn"},
    {"fieldwise", "do new runs differ from the ensemble at more points than its own runs do from each other?",
     "Banderier et al. 2024"},
    {"timestep", "are new runs as far from a run with a shorter step as the accepted model is?",
     "Wan et al. 2017"},
    {"growth", "do differences grow as fast as those of perturbed runs?", "Rosinski and Williamson 1997"},
}};

using Method = Outcome (*)(Task const&);
using OfPoints = std::unique_ptr<PointMethod> (*)(Task const&);

std::map<std::string, Method> const& methods_of_numbers() {
  static std::map<std::string, Method> const all = {{"pca", principal_components},
                                                    {"tolerance", tolerances},
                                                    {"twosample", two_sample},
                                                    {"timestep", time_step_convergence},
                                                    {"growth", perturbation_growth}};
  return all;
}
std::map<std::string, OfPoints> const& methods_of_points() {
  static std::map<std::string, OfPoints> const all = {{"outliers", outliers}, {"fieldwise", field_by_field}};
  return all;
}

/// Whether a method has what it needs of files; whether it has power it finds out itself.
bool applies(std::string const& name, Request const& request) {
  auto const fields = request.ensemble.fields != nullptr && request.tests.fields != nullptr;
  if (name == "fieldwise") return fields;
  if (name == "timestep") return fields && request.truth.summary != nullptr;
  if (name == "growth")
    return fields && request.ensemble.summary->unperturbed && request.ensemble.summary->times.size() >= 4;
  return true;
}

/// A method's part of the false alarms. Most for means and spreads, which find most; much for fields, whose
/// relabelled runs need it to be told from chance where there are three new ones.
double part_of(std::string const& name, std::vector<std::string> names, Request const& request) {
  static std::map<std::string, double> const parts = {
      {"twosample", 0.60}, {"fieldwise", 0.20}, {"pca", 0.10},   {"tolerance", 0.05},
      {"outliers", 0.05},  {"timestep", 0.05},  {"growth", 0.05}};
  double all = 0;
  for (auto const& other : names) all += other == name || applies(other, request) ? parts.at(other) : 0;
  return parts.at(name) / all;
}

/// Values that no statistics are needed for: NaN, infinities, values where all of the ensemble has none, and
/// those that leave members behind that agree to the last bit.
Outcome soundness(Request const& request, LastBits const& last_bits) {
  Outcome outcome;
  outcome.method = "values";
  auto const& ensemble = *request.ensemble.summary;
  auto const& tests = *request.tests.summary;
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    for (auto const& run : tests.members) {
      std::int64_t not_finite = 0;
      bool missing = false;
      for (std::size_t t = 0; t < ensemble.times.size(); ++t) {
        auto const& levels = run.variables[v][t].levels;
        for (std::size_t k = 0; k < levels.size(); ++k) {
          not_finite += levels[k].not_finite;
          // As many missing points as some member has are the land of a moving coast; more or fewer are not.
          auto const like_a_member = std::ranges::any_of(ensemble.members, [&](RunSummary const& member) {
            return member.variables[v][t].levels[k].missing == levels[k].missing;
          });
          auto least = levels[k].missing, most = levels[k].missing;
          if (!like_a_member) {
            least = most = ensemble.members.front().variables[v][t].levels[k].missing;
            for (auto const& member : ensemble.members) {
              least = std::min(least, member.variables[v][t].levels[k].missing);
              most = std::max(most, member.variables[v][t].levels[k].missing);
            }
          }
          missing = missing || (least == most && levels[k].missing != least);
        }
      }
      if (not_finite == 0 && !missing) continue;
      Finding finding;
      finding.subject = ensemble.variables[v].name + ", " + run.name;
      finding.value = double(not_finite);
      finding.limit = 0;
      finding.rejected = true;
      finding.note = not_finite > 0 ? "values that are NaN or infinite"
                                    : "other points are missing than in every member";
      outcome.findings.push_back(std::move(finding));
    }
  }
  outcome.findings.insert(outcome.findings.end(), last_bits.findings.begin(), last_bits.findings.end());
  outcome.answer = !outcome.findings.empty() ? Answer::different
                   : request.lacking.empty() ? Answer::consistent
                                             : Answer::undecided;
  for (auto const& [variable, run] : request.lacking) {
    outcome.findings.push_back(
        {.subject = variable + ", " + run, .note = "not there, though every accepted run has it"});
  }
  outcome.statement = outcome.findings.empty() ? "all values are finite, and missing where the ensemble's are"
                                               : fmt::format("{}: {}", outcome.findings.front().subject,
                                                             outcome.findings.front().note);
  return outcome;
}

/// A request without some variables.
class WithoutLastBits {
 public:
  WithoutLastBits(Request const& request, std::vector<bool> const& left_out) : request_{request} {
    if (std::ranges::find(left_out, true) == left_out.end()) return;
    for (auto* runs : {&request_.ensemble, &request_.tests, &request_.control, &request_.truth})
      *runs = selected_.emplace_back(*runs, left_out).runs();
  }
  WithoutLastBits(WithoutLastBits const&) = delete;
  WithoutLastBits& operator=(WithoutLastBits const&) = delete;
  Request const& request() const { return request_; }

 private:
  Request request_;
  std::list<SelectedRuns> selected_;
};

Outcome without_spread(std::string const& method, LastBits const& last_bits) {
  Outcome outcome;
  outcome.method = method;
  outcome.answer = Answer::no_power;
  outcome.statement = "no variable has a spread that statistics can use (" + last_bits.reason + ")";
  return outcome;
}

/// Rules of others at the limits that they have by default: what one of them finds is at least in doubt.
struct PublishedRule {
  char const* whose;
  char const* method;
  std::vector<std::pair<std::string, std::string>> parameters;
};
std::vector<PublishedRule> const& published_rules() {
  static std::vector<PublishedRule> const rules = {
      {"PyCECT", "pca", {{"pca.rule", "published"}, {"pca.sigma", "2"}, {"pca.components", "26"}}},
      {"probtest", "tolerance", {{"tolerance.rule", "published"}, {"tolerance.difference", "published"}}},
      {"EVV",
       "twosample",
       {{"twosample.test", "ks"},
        {"twosample.correction", "benjamini-yekutieli"},
        {"twosample.rate", "0.05"}}}};
  return rules;
}

/// What the first of these rules that rejects has to say; empty where none does.
std::string found_by_published_rules(std::function<Request const&(std::string const&)> const& selected,
                                     double rate) {
  for (auto const& rule : published_rules()) {
    Parameters parameters(rule.method, rule.parameters);
    auto const outcome = methods_of_numbers().at(rule.method)({selected(rule.method), parameters, rate});
    if (outcome.answer == Answer::different) return std::string(rule.whose) + "'s rule: " + outcome.statement;
  }
  return {};
}

void require_fit(Request const& request) {
  if (request.ensemble.summary == nullptr || request.tests.summary == nullptr)
    throw InputError("nothing to compare (no ensemble or no new runs) name both");
  auto const& ensemble = *request.ensemble.summary;
  for (auto const* runs : {&request.tests, &request.control, &request.truth}) {
    if (runs->summary == nullptr) continue;
    auto const& others = *runs->summary;
    auto const same =
        others.times.size() == ensemble.times.size() &&
        std::ranges::equal(others.variables, ensemble.variables,
                           [](VariableInfo const& a, VariableInfo const& b) {
                             return a.name == b.name && a.levels == b.levels && a.points == b.points;
                           });
    if (!same)
      throw InputError(
          "runs do not fit together (they have other variables, levels, points or times) compare what they "
          "share");
  }
  if (ensemble.variables.empty() || ensemble.times.empty())
    throw InputError(
        "the ensemble has no variable in common (nothing to compare) name files of like content");
  if (request.tests.summary->members.empty())
    throw InputError("no new run to test (there is no file) name one");
}

}  // namespace

char const* name_of(Answer answer) {
  static constexpr char const* names[] = {"consistent", "different", "undecided", "no power", "not applied"};
  return names[static_cast<std::size_t>(answer)];
}

std::span<MethodInfo const> methods() { return infos; }

void require_method(std::string const& name) {
  if (methods_of_numbers().contains(name) || methods_of_points().contains(name)) return;
  std::vector<std::string> known;
  for (auto const& info : infos) known.emplace_back(info.name);
  throw InputError("no method '" + name + "'" + choices_hint(name, known));
}

Verdict judge(Request const& request) {
  require_fit(request);
  for (auto const& name : request.methods) require_method(name);
  std::vector<std::string> names = request.methods;
  if (names.empty()) {
    for (auto const& info : infos) names.emplace_back(info.name);
  }
  for (auto name = names.begin(); name != names.end();)
    name = std::find(names.begin(), name, *name) == name ? name + 1 : names.erase(name);
  double rate = 0.004;
  for (auto const& [key, value] : request.parameters) {
    auto const dot = key.find('.');
    auto const owner = key.substr(0, dot);
    if (dot == std::string::npos && key == "rate") {
      Parameters own("all", {{"all.rate", value}});
      rate = own.number("rate", rate, 1e-6, 0.5);
    } else if (dot == std::string::npos || std::ranges::find(names, owner) == names.end()) {
      auto known = names;
      known.emplace_back("rate");
      throw InputError("--parameter " + key + ": no method '" + owner + "' that is asked for" +
                       choices_hint(owner, known));
    }
  }

  Verdict verdict;
  auto const last_bits = last_bits_of(request);
  verdict.notes = last_bits.notes;
  verdict.outcomes.push_back(soundness(request, last_bits));
  // Variables without spread are left out: by their last time where a method looks at that time alone.
  WithoutLastBits const at_end(request, last_bits.at_end), always(request, last_bits.always);
  std::function<Request const&(std::string const&)> const selected =
      [&](std::string const& name) -> Request const& {
    auto const of_all_times = name == "tolerance" || name == "timestep" || name == "growth";
    return of_all_times ? always.request() : at_end.request();
  };
  // Points are read once for all methods that look at them.
  std::list<Parameters> parameters;
  std::list<Task> tasks;
  std::map<std::string, std::unique_ptr<PointMethod>> of_points;
  auto const task_of = [&](std::string const& name) -> Task const& {
    auto const part = part_of(name, names, request);
    return tasks.emplace_back(selected(name), parameters.emplace_back(name, request.parameters), rate * part,
                              part);
  };
  std::vector<PointMethod*> looking;
  for (auto const& name : names) {
    auto const found = methods_of_points().find(name);
    if (found == methods_of_points().end() || selected(name).ensemble.summary->variables.empty()) continue;
    auto const& method = of_points[name] = found->second(task_of(name));
    if (method->wants_points()) looking.push_back(method.get());
  }
  if (!looking.empty()) look_at_points(at_end.request(), looking);
  for (auto const& name : names) {
    if (selected(name).ensemble.summary->variables.empty())
      verdict.outcomes.push_back(without_spread(name, last_bits));
    else if (auto const found = of_points.find(name); found != of_points.end())
      verdict.outcomes.push_back(found->second->outcome());
    else
      verdict.outcomes.push_back(methods_of_numbers().at(name)(task_of(name)));
  }

  Outcome const *worst = nullptr, *doubtful = nullptr, *unshown = nullptr;
  std::size_t with_power = 0;
  for (auto const& outcome : verdict.outcomes) {
    if (outcome.answer == Answer::different && worst == nullptr) worst = &outcome;
    if (outcome.answer == Answer::undecided && doubtful == nullptr) doubtful = &outcome;
    // Other methods look for differences; that there are none in means and spreads this one alone shows.
    if (outcome.method == "twosample" && outcome.answer == Answer::no_power) unshown = &outcome;
    with_power += outcome.method != "values" && outcome.answer == Answer::consistent ? 1 : 0;
  }
  if (worst != nullptr) {
    verdict.answer = Answer::different;
    verdict.statement = worst->method + ": " + worst->statement;
  } else if (doubtful != nullptr) {
    verdict.answer = Answer::undecided;
    verdict.statement = doubtful->method + ": " + doubtful->statement;
  } else if (with_power > 0 && unshown != nullptr) {
    verdict.answer = Answer::undecided;
    verdict.statement =
        fmt::format("{} of {} methods found nothing, which is no evidence without twosample: {}", with_power,
                    names.size(), unshown->statement);
  } else if (auto const found = with_power > 0 && request.methods.empty()
                                    ? found_by_published_rules(selected, rate)
                                    : std::string();
             !found.empty()) {
    verdict.answer = Answer::undecided;
    verdict.statement =
        "no method finds anything, but a published one does, whose false alarms are more or not "
        "known; more new runs would decide (" +
        found + ")";
  } else if (with_power > 0) {
    verdict.answer = Answer::consistent;
    verdict.statement =
        fmt::format("{} of {} methods had power and found nothing, at {:.2g} % false alarms in all",
                    with_power, names.size(), 100 * rate);
  } else {
    verdict.answer = Answer::no_power;
    std::string needed;
    for (auto const& outcome : verdict.outcomes) {
      if (outcome.members_needed)
        needed += fmt::format("{}{}: {} {}", needed.empty() ? "" : "; ", outcome.method,
                              *outcome.members_needed, outcome.needed_of);
    }
    verdict.statement =
        "no method has power here" + (last_bits.any() && needed.empty() ? " (" + last_bits.reason + ")"
                                      : needed.empty() ? std::string(" (none has what it needs)")
                                                       : " (needed: " + needed + ")");
  }
  return verdict;
}

}  // namespace ulpine::verification::consistency
