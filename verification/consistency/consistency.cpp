// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>

#include "io/error.hpp"
#include "verification/consistency/last_bits.hpp"
#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::array<MethodInfo, 6> infos = {{
    {"pca",
     "do the global means of new runs lie where those of the ensemble do, along its principal components?",
     "PyCECT (Baker et al. 2015)"},
    {"tolerance",
     "do smallest, mean and largest values of each level stay as near to the reference as members do?",
     "probtest"},
    {"twosample", "do means and spreads of the variables come from one distribution?",
     "EVV4ESM (Mahajan et al. 2017)"},
    {"fieldwise", "do new runs differ from the ensemble at more points than its own runs do from each other?",
     "Banderier et al. 2024"},
    {"timestep", "are new runs as far from a run with a shorter step as the accepted model is?",
     "Wan et al. 2017"},
    {"growth", "do differences grow as fast as those of perturbed runs?", "Rosinski and Williamson 1997"},
}};

using Method = Outcome (*)(Task const&);
Method method_of(std::string const& name) {
  static std::map<std::string, Method> const all = {
      {"pca", principal_components}, {"tolerance", tolerances},           {"twosample", two_sample},
      {"fieldwise", field_by_field}, {"timestep", time_step_convergence}, {"growth", perturbation_growth}};
  auto const found = all.find(name);
  return found == all.end() ? nullptr : found->second;
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

/// A method's part of the false alarms: three quarters for means and spreads, which find most; the rest for
/// the others alike.
double part_of(std::string const& name, std::vector<std::string> names, Request const& request) {
  std::erase_if(names, [&](std::string const& other) { return other != name && !applies(other, request); });
  if (names.size() == 1) return 1;
  auto const has_two_sample = std::ranges::find(names, "twosample") != names.end();
  if (!has_two_sample) return 1 / double(names.size());
  return name == "twosample" ? 0.75 : 0.25 / double(names.size() - 1);
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
  if (method_of(name) != nullptr) return;
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
  // Methods that have power come first: they alone share the false-alarm rate.
  auto const run = [&](std::string const& name, double part) {
    Parameters parameters(name, request.parameters);
    auto const of_end = name == "pca" || name == "twosample" || name == "fieldwise";
    auto const& selected = of_end ? at_end.request() : always.request();
    if (selected.ensemble.summary->variables.empty()) return without_spread(name, last_bits);
    return method_of(name)({selected, parameters, rate * part, part});
  };
  for (auto const& name : names) verdict.outcomes.push_back(run(name, part_of(name, names, request)));

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
