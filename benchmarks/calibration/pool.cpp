// SPDX-License-Identifier: Apache-2.0
#include "calibration/pool.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/exec/random.hpp"
#include "verification/statistics/statistics.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::calibration {
namespace {

using verification::RunResult;
using verification::StudyResults;

RunResult as_member(RunResult run, std::string const& ensemble, std::size_t number) {
  run.ensemble = ensemble;
  run.member = static_cast<int>(number);
  run.id = ensemble + "/m" + std::to_string(number);
  return run;
}

void add(StudyResults& study, RunResult unperturbed, std::vector<RunResult> const& members,
         std::span<std::size_t const> numbers, std::string const& id) {
  unperturbed.id = unperturbed.ensemble = id;
  study.runs.push_back(std::move(unperturbed));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    study.runs.push_back(as_member(members.at(numbers[i]), id, i));
  }
}

/// Mean and spread of the growth of the members that were drawn, which verdicts look at.
verification::EnsembleResult ensemble_of(Tested const& tested, std::span<std::size_t const> numbers,
                                         std::string const& id) {
  auto ensemble = tested.all_together;
  ensemble.configuration = id;
  if (tested.growth.empty() || tested.unperturbed.failed) return ensemble;
  auto const& first = tested.members.front();
  ensemble.epsilon = first.epsilon.value_or(0);
  ensemble.epsilon_text = first.epsilon_text;
  std::vector<Growth const*> ended;
  for (auto const number : numbers) {
    if (!tested.members.at(number).failed) ended.push_back(&tested.growth.at(number));
  }
  ensemble.members = std::int64_t(ended.size());
  auto& growth = ensemble.growth.emplace();
  growth.time_s = tested.unperturbed.series->time_s;
  for (auto const& [field, errors] : tested.unperturbed.series->fields) {
    auto& series = growth.fields[field];
    for (std::size_t time = 0; time < growth.time_s.size(); ++time) {
      std::vector<double> values;
      for (auto const* member : ended) values.push_back(member->at(field)[time]);
      auto const moments = verification::moments(values);
      series.mean.push_back(moments.mean);
      series.sd.push_back(moments.sd);
    }
  }
  return ensemble;
}

}  // namespace

Tested const& Pool::at(std::string const& name) const {
  auto const found = std::find_if(tested.begin(), tested.end(),
                                  [&](Tested const& candidate) { return candidate.name == name; });
  if (found == tested.end()) throw std::out_of_range("no candidate " + name + " in the pool of " + model);
  return *found;
}

Pool pool_of(std::string const& model, StudyResults const& study) {
  Pool pool{model, study, {}, {}, {}};
  pool.base.runs.clear();
  pool.base.ensembles.clear();
  auto const members_of = [&](std::string const& id) {
    std::vector<RunResult> members;
    std::copy_if(study.runs.begin(), study.runs.end(), std::back_inserter(members),
                 [&](RunResult const& run) { return run.member && !run.control && run.ensemble == id; });
    return members;
  };
  for (auto const& run : study.runs) {
    if (run.member || run.epsilon) continue;
    auto members = members_of(run.id);
    if (run.id == study.reference) {
      pool.reference = run;
      pool.members = std::move(members);
    } else if (!members.empty()) {
      auto const plain = run.id == run.policy + "/" + run.assembly;
      auto const equal = plain && study.reference.starts_with(run.policy + "/");
      pool.tested.push_back({run.id, equal ? Role::equal : Role::planted, true, run, std::move(members), {}});
      for (auto const& ensemble : study.ensembles) {
        if (ensemble.configuration == run.id) pool.tested.back().all_together = ensemble;
      }
    }
  }
  return pool;
}

void add_unpaired(Pool& pool) {
  auto const count = pool.tested.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (pool.tested[i].role != Role::equal) continue;
    auto other = pool.tested[i];
    other.name += ", other seeds";
    other.paired = false;
    pool.tested.push_back(std::move(other));
  }
}

StudyResults draw(Pool const& pool, std::vector<std::string> const& names,
                  std::span<std::size_t const> numbers, std::span<std::size_t const> others) {
  auto study = pool.base;
  study.runs.reserve((names.size() + 1) * (numbers.size() + 1));
  add(study, pool.reference, pool.members, numbers, study.reference);
  for (auto const& name : names) {
    auto const& tested = pool.at(name);
    auto const mine = tested.paired ? numbers : others;
    add(study, tested.unperturbed, tested.members, mine, name);
    study.ensembles.push_back(ensemble_of(tested, mine, name));
  }
  verification::judge_study(study);
  return study;
}

Deck::Deck(std::size_t count, std::size_t size, std::uint64_t seed)
    : order_(count), size_{size}, seed_{seed} {
  if (size == 0 || 2 * size > count) {
    throw std::invalid_argument("a deck of " + std::to_string(count) + " has no two hands of " +
                                std::to_string(size));
  }
  std::iota(order_.begin(), order_.end(), std::size_t(0));
  shuffle();
}

void Deck::shuffle() {
  auto const key = name_key("deck");
  for (auto left = order_.size(); left > 1; --left) {
    auto const u = uniform_symmetric(seed_, static_cast<std::uint32_t>(round_), key, std::int64_t(left));
    auto const chosen = static_cast<std::size_t>((u + 1) / 2 * static_cast<double>(left));
    std::swap(order_[left - 1], order_[std::min(chosen, left - 1)]);
  }
  ++round_;
  block_ = 0;
}

Deck::Hand Deck::next() {
  auto const blocks = order_.size() / size_;
  if (block_ == blocks) shuffle();
  auto const hand = [&](std::size_t block) {
    return std::span<std::size_t const>(order_).subspan(block * size_, size_);
  };
  auto const mine = block_++;
  return {hand(mine), hand((mine + 1) % blocks)};
}

}  // namespace ulpine::calibration
