// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "verification/results/results.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification::test {

/// Studies by hand: a reference fp64/deterministic and what is added to it.
class Study {
 public:
  explicit Study(std::vector<std::string> epsilons = {"2^-10"}) : epsilons_{std::move(epsilons)} {
    results.statistics = {{"lkf_count", "1", 1}, {"lkf_total_length_km", "km", 4}};
    add("fp64/deterministic", 0);
  }

  /// An unperturbed run whose relative L2 error and maximum error of sivol and siu are `error`.
  RunResult& add(std::string const& id, double error) {
    RunResult run;
    run.id = id;
    run.policy = id.substr(0, id.find('/'));
    run.assembly = id.substr(id.find('/') + 1);
    run.device = "cpu";
    run.hash = "hash of " + id;
    set_error(run, error);
    results.runs.push_back(run);
    return results.runs.back();
  }

  static void set_error(RunResult& run, double error) {
    for (auto const* field : {"sivol", "siu"}) {
      run.metrics[field]["l2_relative"] = Value::of(error);
      run.metrics[field]["linf"] = Value::of(error);
    }
  }

  /// Errors of `run` over time, the same in all fields; at the last time they are its metrics' too.
  static void set_series(RunResult& run, std::vector<double> const& errors) {
    auto& series = run.series.emplace();
    for (std::size_t time = 0; time < errors.size(); ++time) series.time_s.push_back(3600.0 * double(time));
    for (auto const* field : {"sivol", "siu"}) series.fields[field] = {errors, errors};
    set_error(run, errors.back());
  }

  /// Members of a policy at all amplitudes, `spread` away from the reference; count and length by amplitude
  /// and member.
  void add_members(std::string const& policy, int members, double spread,
                   std::function<double(int epsilon, int member)> const& count) {
    for (int e = 0; e < int(epsilons_.size()); ++e) {
      for (int m = 0; m < members; ++m) {
        RunResult run;
        run.policy = policy;
        run.assembly = "deterministic";
        run.epsilon_text = epsilons_[std::size_t(e)];
        run.epsilon = std::ldexp(1.0, std::stoi(run.epsilon_text.substr(2)));
        run.member = m;
        run.id = policy + "/deterministic/eps=" + run.epsilon_text + "/m" + std::to_string(m);
        set_error(run, spread);
        auto const value = count(e, m);
        run.statistics = {{"lkf_count", double(std::lround(value))},
                          {"lkf_total_length_km", 4 * std::round(25 * value)}};
        results.runs.push_back(run);
      }
    }
  }

  Verdict const& verdict(std::string const& configuration) {
    judge_study(results);
    for (auto const& found : results.verdicts) {
      if (found.configuration == configuration) return found;
    }
    throw std::out_of_range(configuration);
  }

  StudyResults results;

 private:
  std::vector<std::string> epsilons_;
};

/// Counts of the reference's members: a spread of about 6.
inline double base(int e, int m) { return 100 + 8 * std::sin(1.7 * m + 3 * e); }

inline Evidence const& evidence(Verdict const& verdict, std::string const& subject,
                                std::string const& epsilon = "") {
  for (auto const& found : verdict.evidence) {
    if (found.subject == subject && (epsilon.empty() || found.epsilon_text == epsilon)) return found;
  }
  throw std::out_of_range(subject);
}

}  // namespace ulpine::verification::test
