// SPDX-License-Identifier: Apache-2.0
#include "verification/sameness/sameness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verification/consistency/growth.hpp"
#include "verification/sameness/words.hpp"

namespace ulpine::verification::sameness {
namespace {

constexpr double resolved = 2;         // roundings of the stored type, from which on growth is seen
constexpr double decorrelated = 0.01;  // 1 - r at which growth is no longer exponential
constexpr std::size_t fewest_times = 3;

bool has_grown(Distance const& distance) {
  if (!std::isnan(distance.one_minus_r)) return distance.one_minus_r >= decorrelated;
  constexpr double grown = 0.1;
  return distance.rms_reference > 0 && distance.rms >= grown * distance.rms_reference;
}

bool is_resolved(Series const& series, Distance const& distance) {
  auto const& type = series.type;
  return distance.rms > 0 &&
         distance.rms >=
             (type.step > 0 ? type.step : resolved * type.relative_rounding * distance.rms_reference);
}

/// The place at which a run differs though no noise could make it so.
std::string certain_difference(RunDistance const& run, std::vector<RunDistance> const& members) {
  if (!run.other_places.empty()) return "coordinate " + run.other_places.front();
  for (auto const& series : run.variables) {
    for (auto const& distance : series.times) {
      auto const where = series.name + time_words(distance);
      if (!distance.failure.empty()) return where + ": " + distance.failure;
      if (distance.one_sided == 0) continue;
      // A coast that moves under noise has places with a value on one side, too.
      auto const in_noise = std::ranges::any_of(members, [&](RunDistance const& member) {
        auto const* const other = member.find(series.name);
        return other != nullptr &&
               std::ranges::any_of(other->times, [](Distance const& d) { return d.one_sided > 0; });
      });
      if (!in_noise)
        return fmt::format("{}: {} places have a value in one run only", where, distance.one_sided);
    }
  }
  return {};
}

/// Whether no value is off by more than a unit in the last place.
bool within_last_bit(RunDistance const& run) {
  return std::ranges::all_of(run.variables, [](Series const& series) {
    return std::ranges::all_of(series.times, [&](Distance const& distance) {
      return distance.differing == 0 || (series.rounds() && distance.ulps <= 1);
    });
  });
}

std::string not_all(RunDistance const& run) {
  auto const count = run.not_compared.size();
  return count == 0   ? ""
         : count == 1 ? run.not_compared.front()
                      : fmt::format("{}, and {} more", run.not_compared.front(), count - 1);
}

std::string noise_words(Verdict const& verdict) {
  return (verdict.of_noise.empty() ? std::string("noise") : "noise of " + verdict.of_noise) +
         fmt::format(" ({} runs)", verdict.noise->members);
}

/// "temp from 2000-01-01 06:00:00 on": the variables that differ first, and when.
std::string beginning(RunDistance const& run, Verdict const& verdict) {
  auto const first = first_variables(run, verdict.growth);
  auto const& series = run.variables[first.front()];
  auto const& distance = series.times[*verdict.growth[first.front()].first];
  std::vector<std::string> names;
  for (auto const v : first) names.push_back(run.variables[v].name);
  constexpr std::size_t most = 4;
  auto const more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : std::string();
  if (names.size() > most) names.resize(most);
  auto const growth = verdict.growth[first.front()].words;
  return fmt::format("they differ{} on, first in {}{}, by up to {} of {}; the difference of {} {}",
                     from_words(distance), fmt::join(names, ", "), more, ulp_words(distance.ulps),
                     type_words(series.type), series.name, growth);
}

void judge_same(RunDistance const& run, Verdict& verdict) {
  if (!run.not_compared.empty()) {
    verdict.answer = Answer::undecided;
    verdict.sentence =
        "not decided: what could be compared has the same values, but not all could: " + not_all(run);
    verdict.missing = "output of the same variables and times from both";
    return;
  }
  std::size_t times = 0;
  for (auto const& series : run.variables) times = std::max(times, series.times.size());
  auto const counted = [](auto number, std::string const& what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  auto const counts = fmt::format("{} at {} and {}, of {}", counted(run.variables.size(), "variable"),
                                  counted(times, "output time"), counted(run.coordinates, "coordinate"),
                                  counted(run.files, "file"));
  verdict.answer = run.same_bits ? Answer::bits : Answer::values;
  verdict.sentence = run.same_bits ? "the same bits: " + counts
                                   : fmt::format("the same values, stored otherwise in {}: {}",
                                                 fmt::join(run.stored_otherwise, ", "), counts);
}

void judge_last_bit(RunDistance const& run, Verdict& verdict) {
  std::int64_t differing = 0;
  for (auto const& growth : verdict.growth) differing += growth.first ? 1 : 0;
  auto const first = first_variables(run, verdict.growth).front();
  auto const& series = run.variables[first];
  auto const is_double = series.type.name == "double";
  verdict.answer = Answer::last_bit;
  verdict.sentence = fmt::format(
      "the same within the last bit of the file's {}: {} of {} variables differ by one unit in the last "
      "place{} on",
      type_words(series.type), differing, run.variables.size(),
      from_words(series.times[*verdict.growth[first].first]));
  if (!is_double) verdict.missing = "output in double: what is smaller the files hide";
}

void judge_noise(RunDistance const& run, Verdict& verdict) {
  auto const& noise = *verdict.noise;
  auto const* const worst = noise.worst();
  auto const decided = std::isfinite(noise.limit) && worst != nullptr;
  verdict.missing = noise.remedy;
  if (decided && worst->ratio > noise.limit) {
    auto const& series = run.variables[worst->variable];
    verdict.answer = Answer::different;
    auto const& begin = *noise.first_beyond(run);
    verdict.sentence = fmt::format(
        "different:{} on further apart than {} puts the reference from itself, {} by up to {:.3g} times, "
        "where "
        "{:.3g} is tolerated; {}",
        from_words(run.variables[begin.variable].times[begin.time]), noise_words(verdict), series.name,
        worst->ratio, noise.limit, beginning(run, verdict));
    verdict.missing.clear();
    return;
  }
  verdict.answer = Answer::undecided;
  if (!noise.applies()) {
    verdict.sentence = fmt::format("not decided: {}; {}", noise.without_power, beginning(run, verdict));
  } else if (!noise.not_held.empty()) {
    verdict.sentence =
        fmt::format("not decided: inside what {} makes, but noisy runs do not tell of {}, which {}; {}",
                    noise_words(verdict), fmt::join(noise.not_held, ", "),
                    noise.not_held.size() == 1 ? "differs" : "differ", beginning(run, verdict));
    verdict.missing = "noisy runs with output of the same variables and times";
  } else if (!run.not_compared.empty()) {
    verdict.sentence = fmt::format("not decided: inside what {} makes, but not all could be compared: {}",
                                   noise_words(verdict), not_all(run));
    verdict.missing = "output of the same variables and times from both";
  } else {
    verdict.answer = Answer::as_noise;
    verdict.sentence = fmt::format(
        "as different as the reference is from itself under {}: nothing speaks against the same model",
        noise_words(verdict));
  }
}

}  // namespace

char const* name_of(Answer answer) {
  static constexpr char const* names[] = {"same bits", "same values", "last bit",
                                          "as noise",  "different",   "not decided"};
  return names[static_cast<std::size_t>(answer)];
}

Growth growth_of(Series const& series) {
  Growth growth;
  auto const& times = series.times;
  auto const first = series.first_difference();
  if (first == times.size()) return growth;
  growth.first = first;
  auto const from = std::size_t(
      std::ranges::find_if(times, [&](Distance const& d) { return is_resolved(series, d); }) - times.begin());
  if (from == times.size()) {
    growth.words = "stays within the rounding of the file";
    return growth;
  }
  std::vector<double> instants, differences;
  auto largest = std::numeric_limits<double>::infinity();
  for (auto i = from; i < times.size(); ++i) {
    instants.push_back(times[i].time);
    differences.push_back(times[i].rms);
    if (has_grown(times[i])) largest = std::min(largest, times[i].rms);
  }
  if (has_grown(times[from])) {
    growth.words = from == first ? "has its full size at once" : "grows too fast for the output times";
    return growth;
  }
  auto const fit = consistency::growth_rate(instants, differences, largest);
  if (!fit.known || !std::isfinite(fit.rate)) {
    growth.words = fmt::format("has fewer than {} output times in its growth", fewest_times);
    return growth;
  }
  if (fit.rate * (instants[fit.last] - instants[fit.first]) < std::numbers::ln2) {
    growth.words = "does not grow";
    return growth;
  }
  growth.doubling = std::numbers::ln2 / fit.rate;
  growth.words = "doubles in " + duration_words(*growth.doubling, series.in_seconds);
  return growth;
}

Verdict judge(RunDistance const& run, std::vector<RunDistance> const& members, std::string const& of_noise) {
  Verdict verdict;
  verdict.of_noise = of_noise;
  for (auto const& series : run.variables) verdict.growth.push_back(growth_of(series));
  if (!members.empty()) verdict.noise = against_noise(run, members);
  if (auto const certain = certain_difference(run, members); !certain.empty()) {
    verdict.answer = Answer::different;
    verdict.sentence = "different: " + certain;
  } else if (!run.differs()) {
    judge_same(run, verdict);
  } else if (within_last_bit(run) && run.not_compared.empty()) {
    judge_last_bit(run, verdict);
  } else if (verdict.noise) {
    judge_noise(run, verdict);
  } else {
    verdict.sentence = "not decided: " + beginning(run, verdict);
    verdict.missing = fmt::format(
        "{} runs of the reference or more with noise that shows in the output: give --noise (nothing else "
        "tells "
        "rounding from a fault)",
        fewest_members);
  }
  return verdict;
}

}  // namespace ulpine::verification::sameness
