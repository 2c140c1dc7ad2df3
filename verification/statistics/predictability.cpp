// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/predictability.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "verification/statistics/statistics.hpp"
#include "verification/verdict/judgement.hpp"

namespace ulpine::verification {
namespace {

constexpr double forgotten = 1.5, apart = 64;

/// Relative L2 errors of a run in a field by output time; null where there are none.
std::vector<double> const* errors_of(RunResult const& run, std::string const& field) {
  if (!run.series) return nullptr;
  auto const found = run.series->fields.find(field);
  return found == run.series->fields.end() || found->second.l2_relative.empty() ? nullptr
                                                                                : &found->second.l2_relative;
}

/// When `errors` first reach `level`.
std::optional<double> reached(std::vector<double> const& errors, std::vector<double> const& time_s,
                              double level) {
  for (std::size_t i = 0; i < errors.size() && i < time_s.size(); ++i) {
    if (!(errors[i] >= level)) continue;
    if (i == 0 || !(errors[i - 1] > 0)) return time_s[i];
    auto const share = std::log(level / errors[i - 1]) / std::log(errors[i] / errors[i - 1]);
    return time_s[i - 1] + share * (time_s[i] - time_s[i - 1]);
  }
  return std::nullopt;
}

class Finder {
 public:
  explicit Finder(StudyResults const& results) : results_{results} {
    for (auto const& run : results.runs) {
      if (run.failed) continue;
      if (!run.member) {
        if (run.id != results.reference) runs_.push_back(&run);
      } else if (!run.control && ensemble_of(run) == results.reference) {
        members_[run.epsilon_text].push_back(&run);
      }
    }
  }

  std::optional<Predictability> find(std::string const& field) const {
    auto const saturation = saturation_of(field);
    if (!saturation) return std::nullopt;
    Predictability found{field, *saturation, {}};
    for (auto const* run : runs_) found.entries.push_back(entry(field, *saturation, {run}, run->id, ""));
    for (auto const& [amplitude, members] : members_) {
      found.entries.push_back(entry(field, *saturation, members, "", amplitude));
    }
    return found;
  }

 private:
  std::optional<double> saturation_of(std::string const& field) const {
    std::vector<std::vector<double>> distances;  // by time and amplitude
    for (auto const& [amplitude, members] : members_) {
      for (auto const* member : members) {
        auto const* errors = errors_of(*member, field);
        if (errors == nullptr) return std::nullopt;
        distances.resize(errors->size(), std::vector<double>());
      }
      for (std::size_t time = 0; time < distances.size(); ++time) {
        std::vector<double> here;
        for (auto const* member : members) {
          auto const& errors = *errors_of(*member, field);
          here.push_back(time < errors.size() ? errors[time] : std::nan(""));
        }
        distances[time].push_back(std::sqrt(mean_square(here)));
      }
    }
    // A field that is not perturbed itself comes later.
    auto const first = std::ranges::find_if(
        distances, [](auto const& all) { return std::ranges::all_of(all, [](double x) { return x > 0; }); });
    if (members_.size() < 2 || first == distances.end()) return std::nullopt;
    auto const& last = distances.back();
    auto const largest = static_cast<std::size_t>(std::ranges::max_element(*first) - first->begin());
    std::optional<double> saturation;
    for (std::size_t other = 0; other < last.size(); ++other) {
      auto const low = std::min(last[other], last[largest]), high = std::max(last[other], last[largest]);
      // A comparison with NaN is false.
      if ((*first)[largest] >= apart * (*first)[other] && high <= forgotten * low) {
        saturation = std::max(saturation.value_or(0), high);
      }
    }
    return saturation;
  }

  static Predictability::Entry entry(std::string const& field, double saturation,
                                     std::vector<RunResult const*> const& runs, std::string id,
                                     std::string amplitude) {
    Predictability::Entry found{std::move(id), std::move(amplitude), 0, std::int64_t(runs.size()), {}};
    std::vector<double> times;
    for (auto const* run : runs) {
      auto const* errors = errors_of(*run, field);
      auto const time =
          errors == nullptr ? std::nullopt : reached(*errors, run->series->time_s, saturation / 2);
      if (time) times.push_back(*time);
    }
    found.runs = std::int64_t(times.size());
    if (!times.empty()) {
      auto const [mean, sd, n] = moments(times);
      found.time_s = MeanSd{mean, n > 1 ? sd : std::nan("")};
    }
    return found;
  }

  StudyResults const& results_;
  std::vector<RunResult const*> runs_;
  std::map<std::string, std::vector<RunResult const*>> members_;  ///< members of the reference, by amplitude
};

}  // namespace

std::vector<Predictability> predictability(StudyResults const& results) {
  std::set<std::string> fields;
  for (auto const& run : results.runs) {
    if (!run.series) continue;
    for (auto const& [field, errors] : run.series->fields) fields.insert(field);
  }
  Finder const finder(results);
  std::vector<Predictability> all;
  for (auto const& field : fields) {
    if (auto found = finder.find(field)) all.push_back(std::move(*found));
  }
  return all;
}

}  // namespace ulpine::verification
