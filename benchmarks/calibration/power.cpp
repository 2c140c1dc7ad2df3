// SPDX-License-Identifier: Apache-2.0
#include "calibration/power.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ensembles/runs/parallel.hpp"
#include "verification/statistics/equivalence.hpp"

namespace ulpine::calibration {
namespace {

using verification::Answer;
using verification::Evidence;

/// Statistic and part.
using Subject = std::pair<std::string, std::string>;

/// The evidence on statistics of `count` studies of `members`, in the order of the studies.
std::vector<std::vector<Evidence>> evidence_of(Pool const& pool, std::string const& name, std::size_t members,
                                               int count, std::uint64_t seed, int jobs) {
  Deck deck(pool.size(), members, seed);
  std::vector<std::vector<std::size_t>> numbers, others;
  for (int i = 0; i < count; ++i) {
    auto const hand = deck.next();
    numbers.emplace_back(hand.numbers.begin(), hand.numbers.end());
    others.emplace_back(hand.others.begin(), hand.others.end());
  }
  std::vector<std::vector<Evidence>> result(numbers.size());
  ensembles::parallel_for(result.size(), jobs, [&](std::size_t i) {
    auto const study = draw(pool, {name}, numbers[i], others[i]);
    for (auto const& evidence : study.verdicts.front().evidence) {
      if (evidence.kind == "statistic" && evidence.answer) result[i].push_back(evidence);
    }
  });
  return result;
}

template <class T>
T median(std::vector<T> values) {
  auto const middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What is done to a statistic of all members: value <- about + factor (value - about) + shift.
struct Change {
  double shift = 0, factor = 1, about = 0;
};

/// The pool with one candidate alone, its statistics changed.
Pool changed(Pool const& pool, Tested const& tested, std::map<std::string, Change> const& changes) {
  Pool moved{pool.model, pool.base, pool.reference, pool.members, {tested}};
  for (auto& member : moved.tested.front().members) {
    for (auto const& [name, change] : changes) {
      auto& value = member.statistics[name];
      value = change.about + change.factor * (value - change.about) + change.shift;
    }
  }
  return moved;
}

double mean_of(std::vector<verification::RunResult> const& members, std::string const& statistic) {
  double sum = 0;
  for (auto const& member : members) sum += member.statistics.at(statistic);
  return sum / double(members.size());
}

std::vector<Tested const*> equal_ones(Pool const& pool) {
  std::vector<Tested const*> list;
  for (auto const& tested : pool.tested) {
    if (tested.role == Role::equal) list.push_back(&tested);
  }
  return list;
}

}  // namespace

std::vector<Detected> detect(Pool const& pool, CalibrationOptions const& options) {
  std::vector<Detected> list;
  auto const members = static_cast<std::size_t>(options.members);
  for (auto const* tested : equal_ones(pool)) {
    std::map<std::string, std::vector<double>> claimed;
    for (auto const& study :
         evidence_of(pool, tested->name, members, options.studies, options.seed + 100, options.jobs)) {
      for (auto const& evidence : study) {
        if (evidence.part != "spread" && evidence.detectable) {
          claimed[evidence.subject].push_back(*evidence.detectable);
        }
      }
    }
    std::map<std::string, Change> shifts;
    for (auto const& [subject, values] : claimed) shifts[subject].shift = median(values);
    std::map<std::string, Rate> shown;
    for (auto const& study : evidence_of(changed(pool, *tested, shifts), tested->name, members,
                                         options.studies, options.seed + 200, options.jobs)) {
      for (auto const& evidence : study) {
        if (evidence.part == "spread" || !evidence.interval) continue;
        shown[evidence.subject].add((*evidence.interval)[0] > 0 || (*evidence.interval)[1] < 0);
      }
    }
    for (auto const& [subject, shift] : shifts) {
      list.push_back({pool.model, tested->name, subject, options.members, shift.shift, shown[subject]});
    }
  }
  return list;
}

std::vector<Edge> at_margin(Pool const& pool, CalibrationOptions const& options) {
  // Pairs without noise of their own show a ratio to its last bit.
  constexpr double beyond = 1.001;
  std::vector<Edge> list;
  for (auto const* tested : equal_ones(pool)) {
    std::map<Subject, double> margins;
    auto const large = evidence_of(pool, tested->name, pool.size() / 2, 1, options.seed + 500, options.jobs);
    for (auto const& evidence : large.front()) {
      if (evidence.margin) margins[{evidence.subject, evidence.part}] = beyond * *evidence.margin;
    }
    for (auto const* part : {"mean", "spread"}) {
      std::map<std::string, Change> changes;
      for (auto const& [subject, margin] : margins) {
        auto const about = mean_of(tested->members, subject.first);
        if (subject.second == part) {
          changes[subject.first] = subject.second == "mean" ? Change{margin, 1, 0} : Change{0, margin, about};
        }
      }
      std::map<std::string, Edge> edges;
      for (auto const& study : evidence_of(changed(pool, *tested, changes), tested->name,
                                           static_cast<std::size_t>(options.members), options.studies,
                                           options.seed + 600, options.jobs)) {
        for (auto const& evidence : study) {
          if (evidence.part != part) continue;
          auto& edge = edges[evidence.subject];
          edge.equivalent.add(evidence.answer == Answer::equivalent);
          edge.different.add(evidence.answer == Answer::different);
        }
      }
      for (auto& [subject, edge] : edges) {
        list.push_back(
            {pool.model, tested->name, subject, part, options.members, edge.equivalent, edge.different});
      }
    }
  }
  return list;
}

std::vector<Decided> decide(Pool const& pool, CalibrationOptions const& options) {
  std::vector<Decided> list;
  auto const few = static_cast<std::size_t>(verification::least_pairs);
  for (auto const* tested : equal_ones(pool)) {
    std::map<Subject, std::vector<std::int64_t>> asked;
    for (auto const& study :
         evidence_of(pool, tested->name, few, options.studies, options.seed + 300, options.jobs)) {
      for (auto const& evidence : study) {
        if (evidence.answer == Answer::undecided && evidence.needed) {
          asked[{evidence.subject, evidence.part}].push_back(*evidence.needed);
        }
      }
    }
    for (auto const& [subject, numbers] : asked) {
      Decided decided{pool.model, tested->name, subject.first, subject.second, std::int64_t(few), 0, 0, {}};
      decided.undecided = std::int64_t(numbers.size());
      decided.needed = median(numbers);
      auto const members = static_cast<std::size_t>(decided.needed);
      if (2 * members <= pool.size()) {
        for (auto const& study :
             evidence_of(pool, tested->name, members, options.faulty, options.seed + 400, options.jobs)) {
          for (auto const& evidence : study) {
            if (Subject{evidence.subject, evidence.part} == subject) {
              decided.decided.add(evidence.answer != Answer::undecided);
            }
          }
        }
      }
      list.push_back(std::move(decided));
    }
  }
  return list;
}

}  // namespace ulpine::calibration
