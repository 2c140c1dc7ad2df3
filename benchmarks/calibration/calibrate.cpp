// SPDX-License-Identifier: Apache-2.0
#include "calibration/calibrate.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "calibration/power.hpp"
#include "ensembles/runs/parallel.hpp"

namespace ulpine::calibration {
namespace {

using verification::Answer;
using verification::StudyResults;

/// Members that truths come from: none or almost none of them is in one study.
constexpr std::size_t large_sample = 512;

/// By candidate and kind of evidence.
using Truths = std::map<std::string, std::map<std::string, Truth>>;

Truths truths_in(Pool const& pool, int jobs) {
  std::vector<std::size_t> numbers(std::min(pool.size(), large_sample)), others(numbers.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t(0));
  std::rotate_copy(numbers.begin(), numbers.begin() + std::ptrdiff_t(numbers.size() / 2), numbers.end(),
                   others.begin());
  std::vector<std::map<std::string, Truth>> found(pool.tested.size());
  ensembles::parallel_for(found.size(), jobs, [&](std::size_t i) {
    auto const& tested = pool.tested[i];
    auto const study = draw(pool, {tested.name}, numbers, others);
    found[i] = truths_of(study.verdicts.front(), tested.role == Role::equal);
  });
  Truths truths;
  for (std::size_t i = 0; i < found.size(); ++i) truths[pool.tested[i].name] = found[i];
  return truths;
}

/// What a study leaves behind.
struct Outcome {
  std::vector<Answers> answers;  ///< in the order of the names
  std::int64_t inversions = 0;
};

/// Sums what comes out of the studies of a model.
class Tally {
 public:
  Tally(std::string model, std::int64_t members) : members_{members} { result_.model = std::move(model); }

  void add(Pool const& pool, Truths const& truths, std::vector<std::string> const& names,
           Outcome const& outcome) {
    std::vector<Answer> series;
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto const& tested = pool.at(names[i]);
      for (auto const& [kind, answer] : outcome.answers[i]) {
        row(tested, kind).add(truths.at(names[i]).at(kind), answer);
      }
      if (tested.role == Role::coarser) series.push_back(*outcome.answers[i].at("verdict"));
    }
    if (!series.empty()) result_.turning.add(series);
    result_.inverted.add(outcome.inversions > 0);
  }

  /// Rows in the order of the pool's candidates.
  Calibration finish(Pool const& pool) {
    for (auto const& tested : pool.tested) {
      for (auto const& kind : kinds_of_evidence()) {
        if (auto const found = rows_.find({tested.name, kind}); found != rows_.end()) {
          result_.rows.push_back(found->second);
        }
      }
    }
    return std::move(result_);
  }

 private:
  Row& row(Tested const& tested, std::string const& kind) {
    auto& row = rows_[{tested.name, kind}];
    row.model = result_.model;
    row.evidence = kind;
    row.fault = tested.name;
    row.role = tested.role;
    row.members = members_;
    return row;
  }

  std::int64_t members_;
  std::map<std::pair<std::string, std::string>, Row> rows_;
  Calibration result_;
};

}  // namespace

Calibration calibrate(std::vector<Pool> const& pools, CalibrationOptions const& options,
                      Progress const& progress) {
  auto const& model = pools.front().model;
  auto const tell = [&](double fraction, std::string const& what) {
    if (progress) progress(fraction, model + ": " + what);
  };
  std::vector<Truths> truths;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    tell(0.3 * double(i) / double(pools.size()), "large samples");
    truths.push_back(truths_in(pools[i], options.jobs));
  }

  struct Study {
    std::size_t pool;
    std::vector<std::size_t> numbers, others;
    std::vector<std::string> names;
    Outcome outcome;
  };
  std::vector<Deck> decks;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    decks.emplace_back(pools[i].size(), static_cast<std::size_t>(options.members), options.seed + i);
  }
  std::vector<Study> studies;
  for (int i = 0; i < options.studies; ++i) {
    auto const pool = static_cast<std::size_t>(i) % pools.size();
    auto const hand = decks[pool].next();
    // What is judged by members of other seeds has the unperturbed run of one that is not: a study of its
    // own.
    for (auto const paired : {true, false}) {
      Study study{
          pool, {hand.numbers.begin(), hand.numbers.end()}, {hand.others.begin(), hand.others.end()}, {}, {}};
      for (auto const& tested : pools[pool].tested) {
        if (tested.paired == paired && (tested.role == Role::equal || i < options.faulty)) {
          study.names.push_back(tested.name);
        }
      }
      if (!study.names.empty()) studies.push_back(std::move(study));
    }
  }
  constexpr std::size_t block = 20;  // studies between two lines of progress
  for (std::size_t begin = 0; begin < studies.size(); begin += block) {
    tell(0.3 + 0.5 * double(begin) / double(studies.size()), "studies");
    ensembles::parallel_for(std::min(block, studies.size() - begin), options.jobs, [&](std::size_t i) {
      auto& study = studies[begin + i];
      auto const results = draw(pools[study.pool], study.names, study.numbers, study.others);
      for (auto const& verdict : results.verdicts) study.outcome.answers.push_back(answers_of(verdict));
      study.outcome.inversions = inversions_of(results);
    });
  }
  Tally tally(model, options.members);
  for (auto const& study : studies) {
    tally.add(pools[study.pool], truths[study.pool], study.names, study.outcome);
  }
  auto result = tally.finish(pools.front());
  tell(0.8, "power");
  result.edges = at_margin(pools.front(), options);
  result.detected = detect(pools.front(), options);
  result.decided = decide(pools.front(), options);
  return result;
}

}  // namespace ulpine::calibration
