// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/cheapest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ensembles/search/delta_debugging.hpp"

namespace ulpine::ensembles::search {
namespace {

/// The error alone, in parts of the limit, from which on a stage is not lowered in company.
constexpr auto hopeless_alone = 10.0;
constexpr auto infinity = std::numeric_limits<double>::infinity();

/// A limit was reached.
struct Exhausted {};

/// Judges assignments, each at most once, and remembers the outcomes.
class Trials {
 public:
  Trials(Space const& space, Judge const& judge, Limits const& limits, std::vector<Trial>& tried)
      : space_{space}, judge_{judge}, limits_{limits}, tried_{tried} {}

  void say(std::string what) { what_ = std::move(what); }

  /// The place of the first accepted one. All of them are tried where `all`, else those up to it.
  std::optional<std::size_t> first_accepted(std::vector<Assignment> const& wanted, bool all = false) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < wanted.size() && (all || !first); ++i) {
      auto const& outcome = try_one(wanted, i);
      if (!first && is_accepted(outcome, limits_)) first = i;
    }
    return first;
  }

  /// The cheapest accepted one, the first of them; one has been.
  Assignment const& cheapest() const {
    Trial const* best = nullptr;
    for (auto const& trial : tried_) {
      if (is_accepted(trial.outcome, limits_) && (best == nullptr || trial.cost < best->cost)) best = &trial;
    }
    return best->assignment;
  }

  Outcome const* find(Assignment const& assignment) const {
    auto const found = places_.find(assignment);
    return found == places_.end() ? nullptr : &tried_[found->second].outcome;
  }

 private:
  Outcome const& try_one(std::vector<Assignment> const& wanted, std::size_t first) {
    auto const& assignment = wanted[first];
    if (auto const* known = find(assignment)) return *known;
    if (std::int64_t(tried_.size()) >= limits_.runs) throw Exhausted();
    if (!judged_.contains(assignment)) judge_some(wanted, first);
    if (limits_.progress) limits_.progress(what_, tried_.size() + 1);
    places_[assignment] = tried_.size();
    tried_.push_back({assignment, space_.cost(assignment), judged_.at(assignment)});
    return tried_.back().outcome;
  }

  /// Judges the wanted ones from `first` on that are new, as many as go side by side.
  void judge_some(std::vector<Assignment> const& wanted, std::size_t first) {
    if (limits_.out_of_time && limits_.out_of_time()) throw Exhausted();
    std::vector<Assignment> batch;
    std::set<Assignment> seen;
    for (auto i = first; i < wanted.size() && batch.size() < limits_.together; ++i) {
      if (!places_.contains(wanted[i]) && !judged_.contains(wanted[i]) && seen.insert(wanted[i]).second) {
        batch.push_back(wanted[i]);
      }
    }
    auto const outcomes = judge_(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) judged_[batch[i]] = outcomes.at(i);
  }

  Space const& space_;
  Judge const& judge_;
  Limits const& limits_;
  std::vector<Trial>& tried_;
  std::map<Assignment, std::size_t> places_;  ///< in tried_
  std::map<Assignment, Outcome> judged_;      ///< also what was judged beside what was asked
  std::string what_;
};

class Search {
 public:
  Search(Space const& space, Judge const& judge, Limits const& limits, std::vector<Trial>& tried)
      : space_{space},
        limit_{limits.ratio},
        trials_{space, judge, limits, tried},
        current_(space.stages, 0) {}

  void run() {
    trials_.say("the reference");
    if (!trials_.first_accepted({current_})) return;
    try_alone();
    std::set<int, std::greater<>> widths(space_.bits.begin() + 1, space_.bits.end());
    for (auto const width : widths) lower_together(width);
    refine();
  }

 private:
  Assignment alone(std::size_t stage, int precision) const {
    Assignment assignment(space_.stages, 0);
    assignment[stage] = precision;
    return assignment;
  }

  int precisions() const { return int(space_.bits.size()); }

  void try_alone() {
    std::vector<Assignment> wanted;
    for (int precision = 1; precision < precisions(); ++precision) {
      for (std::size_t stage = 0; stage < space_.stages; ++stage) {
        if (space_.possible(stage, precision)) wanted.push_back(alone(stage, precision));
      }
    }
    trials_.say("stages alone");
    trials_.first_accepted(wanted, true);
  }

  /// Error ratio of the stage alone in that precision; infinite where it failed.
  double error_alone(std::size_t stage, int precision) const {
    if (precision == 0) return 0;
    auto const* outcome = trials_.find(alone(stage, precision));
    return outcome != nullptr && outcome->ratio ? *outcome->ratio : infinity;
  }

  /// Whether a stage can go to that precision at all, in company too.
  bool is_candidate(std::size_t stage, int precision) const {
    return space_.possible(stage, precision) && error_alone(stage, precision) <= hopeless_alone * limit_;
  }

  /// The precision of a width in which a stage errs least alone; 0 where it has none there.
  int best_of_width(std::size_t stage, int width) const {
    auto best = 0;
    for (int precision = 1; precision < precisions(); ++precision) {
      if (space_.bits[std::size_t(precision)] == width && is_candidate(stage, precision) &&
          (best == 0 || error_alone(stage, precision) < error_alone(stage, best))) {
        best = precision;
      }
    }
    return best;
  }

  double cost_with(std::size_t stage, int precision) const {
    auto assignment = current_;
    assignment[stage] = precision;
    return space_.cost(assignment);
  }

  void lower_together(int width) {
    // The most sensitive first, so that parts of a set are alike.
    Subset stages;
    std::map<std::size_t, int> precision;
    for (std::size_t stage = 0; stage < space_.stages; ++stage) {
      auto const found = best_of_width(stage, width);
      auto const nested = first_width_ || current_[stage] != 0;
      if (found != 0 && nested && cost_with(stage, found) < space_.cost(current_)) {
        precision[stage] = found;
        stages.push_back(stage);
      }
    }
    std::stable_sort(stages.begin(), stages.end(), [&](std::size_t a, std::size_t b) {
      return error_alone(a, precision[a]) > error_alone(b, precision[b]);
    });
    first_width_ = first_width_ && stages.empty();
    trials_.say(std::to_string(width) + " bits");
    // Stages that were refused alone stay as they are, and have their turn in refine().
    std::erase_if(
        stages, [&](std::size_t stage) { return !trials_.first_accepted({alone(stage, precision[stage])}); });
    auto const keeping = [&](Subset const& kept) {
      auto assignment = current_;
      for (auto const stage : stages) {
        if (std::find(kept.begin(), kept.end(), stage) == kept.end()) assignment[stage] = precision[stage];
      }
      return assignment;
    };
    FirstPassing const first_passing = [&](std::vector<Subset> const& candidates) {
      std::vector<Assignment> wanted;
      for (auto const& kept : candidates) wanted.push_back(keeping(kept));
      return trials_.first_accepted(wanted);
    };
    current_ = keeping(minimal_passing(stages, first_passing));
  }

  struct Move {
    Assignment assignment;
    double gain = 0;  ///< cost saved per error alone
  };

  /// One stage lower, or with `raised` another one up for it.
  std::vector<Move> moves(bool exchanges) const {
    std::vector<Move> found;
    auto const cost = space_.cost(current_);
    auto const add = [&](Assignment const& from, std::size_t stage) {
      for (int precision = 1; precision < precisions(); ++precision) {
        if (!is_candidate(stage, precision) || precision == from[stage]) continue;
        // Raising another one is no use to what is refused alone.
        if (exchanges && error_alone(stage, precision) > limit_) continue;
        auto next = from;
        next[stage] = precision;
        auto const saved = cost - space_.cost(next);
        if (saved > 0) found.push_back({next, saved / std::max(error_alone(stage, precision), 1e-300)});
      }
    };
    for (std::size_t stage = 0; stage < space_.stages; ++stage) {
      if (!exchanges) add(current_, stage);
      for (std::size_t raised = 0; exchanges && raised < space_.stages; ++raised) {
        if (raised == stage || current_[raised] == 0) continue;
        auto from = current_;
        from[raised] = next_wider(raised);
        add(from, stage);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](Move const& a, Move const& b) { return a.gain > b.gain; });
    if (exchanges && found.size() > space_.stages) found.resize(space_.stages);
    return found;
  }

  /// The precision of the next width above a stage's present one.
  int next_wider(std::size_t stage) const {
    auto const present = space_.bits[std::size_t(current_[stage])];
    auto wider = 0;
    for (int precision = 1; precision < precisions(); ++precision) {
      auto const bits = space_.bits[std::size_t(precision)];
      if (bits > present && bits < space_.bits[std::size_t(wider)] && is_candidate(stage, precision)) {
        wider = best_of_width(stage, bits);
      }
    }
    return wider;
  }

  void refine() {
    trials_.say("refinement");
    current_ = trials_.cheapest();
    for (auto exchanges = false;;) {
      auto const found = moves(exchanges);
      std::vector<Assignment> wanted;
      for (auto const& move : found) wanted.push_back(move.assignment);
      if (auto const taken = trials_.first_accepted(wanted)) {
        current_ = wanted[*taken];
        exchanges = false;
      } else if (!exchanges) {
        exchanges = true;
      } else {
        return;
      }
    }
  }

  Space const& space_;
  double limit_;  ///< largest error accepted
  Trials trials_;
  Assignment current_;  ///< accepted
  bool first_width_ = true;
};

}  // namespace

std::vector<std::size_t> pareto_front(std::span<Trial const> trials) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].outcome.ratio) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(trials[a].cost, *trials[a].outcome.ratio) <
           std::pair(trials[b].cost, *trials[b].outcome.ratio);
  });
  std::vector<std::size_t> front;
  for (auto const i : order) {
    if (front.empty() || *trials[i].outcome.ratio < *trials[front.back()].outcome.ratio) front.push_back(i);
  }
  return front;
}

bool is_accepted(Outcome const& outcome, Limits const& limits) {
  auto const inside =
      outcome.answer == verification::Answer::equal || outcome.answer == verification::Answer::equivalent;
  return inside && outcome.ratio && *outcome.ratio <= limits.ratio;
}

Found find_cheapest(Space const& space, Judge const& judge, Limits const& limits) {
  Found found;
  try {
    Search(space, judge, limits, found.tried).run();
  } catch (Exhausted const&) {
    found.complete = false;
  }
  found.front = pareto_front(found.tried);
  for (std::size_t i = 0; i < found.tried.size(); ++i) {
    if (is_accepted(found.tried[i].outcome, limits)) found.accepted.push_back(i);
  }
  std::stable_sort(found.accepted.begin(), found.accepted.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(found.tried[a].cost, *found.tried[a].outcome.ratio) <
           std::pair(found.tried[b].cost, *found.tried[b].outcome.ratio);
  });
  return found;
}

}  // namespace ulpine::ensembles::search
