// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/field_weights.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "verification/consistency/level_sums.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr std::int64_t most_measured = std::int64_t{1} << 20;  // values of all measures that are kept
constexpr std::int64_t most_repeated = std::int64_t{1} << 18;  // weights of one that are kept
constexpr std::int64_t most_at_once = std::int64_t{1} << 16;
constexpr std::size_t most_shapes = 4;

/// Which dimensions of a field its weights change along, in order.
std::vector<std::size_t> dimensions_of(FieldMeasure const& measure) {
  std::vector<std::size_t> all;
  for (auto const& factor : measure.factors)
    all.insert(all.end(), factor.dimensions.begin(), factor.dimensions.end());
  if (measure.thickness) all.push_back(measure.thickness->dimension);
  std::ranges::sort(all);
  auto const repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

}  // namespace

FieldWeights::FieldWeights(io::InputFile const& file, Weighting const& weighting, FieldMeasure const& measure,
                           std::vector<std::int64_t> shape, std::int64_t levels)
    : file_{file.path()},
      measure_{measure},
      shape_{std::move(shape)},
      levels_{levels},
      size_{io::values_in(shape_)},
      steps_(shape_.size(), 0) {
  for (auto const d : dimensions_of(measure_)) steps_[d] = 1;
  std::int64_t step = 1;
  for (auto d = shape_.size(); d-- > 0;) {
    if (steps_[d] == 0) continue;
    steps_[d] = step;
    step *= shape_[d];
  }
  outer_ = shape_.size();
  while (outer_ > 0 && (steps_[outer_ - 1] == 0) == (steps_.back() == 0)) row_ *= shape_[--outer_];
  measured_ = read(file, weighting);
}

bool FieldWeights::is_of(FieldMeasure const& measure, std::vector<std::int64_t> const& shape,
                         std::int64_t levels) const {
  auto const thicknesses = [](FieldMeasure const& of) {
    return of.thickness ? of.thickness->values : std::vector<double>{};
  };
  return measure_.name() == measure.name() && dimensions_of(measure_) == dimensions_of(measure) &&
         thicknesses(measure_) == thicknesses(measure) && shape_ == shape && levels_ == levels;
}

std::vector<double> FieldWeights::read(io::InputFile const& file, Weighting const& weighting) const {
  io::Box box{std::vector<std::int64_t>(shape_.size(), 0), shape_};
  for (std::size_t d = 0; d < shape_.size(); ++d) box.count[d] = steps_[d] == 0 ? 1 : shape_[d];
  std::vector<double> values(std::size_t(box.size()));
  weighting.read(file, measure_, box, values);
  return values;
}

void FieldWeights::move_to(io::InputFile const& file, Weighting const& weighting) {
  auto values = read(file, weighting);
  file_ = file.path();
  if (std::memcmp(values.data(), measured_.data(), values.size() * sizeof values[0]) == 0) return;
  measured_ = std::move(values);
  kept_.clear();
  whole_.clear();
}

void FieldWeights::repeat(std::int64_t first, std::span<double> weights) const {
  std::vector<std::int64_t> index(outer_, 0);
  auto row = first / row_;
  std::int64_t place = 0;
  for (auto d = outer_; d-- > 0;) {
    index[d] = row % shape_[d];
    row /= shape_[d];
    place += index[d] * steps_[d];
  }
  auto const repeated = steps_.back() == 0;
  auto in_row = first % row_;
  for (std::size_t done = 0; done < weights.size();) {
    auto const count = std::min(std::size_t(row_ - in_row), weights.size() - done);
    auto const* value = &measured_[std::size_t(place)];
    if (repeated) {
      std::fill_n(&weights[done], count, *value);
    } else {
      std::copy_n(value + in_row, count, &weights[done]);
    }
    done += count;
    in_row = 0;
    for (auto d = outer_; d-- > 0;) {
      place += steps_[d];
      if (++index[d] < shape_[d]) break;
      place -= steps_[d] * shape_[d];
      index[d] = 0;
    }
  }
}

std::span<double const> FieldWeights::at(std::int64_t first, std::int64_t count) {
  if (std::int64_t(measured_.size()) == size_)
    return std::span<double const>(measured_).subspan(std::size_t(first), std::size_t(count));
  if (size_ > most_repeated) {
    some_.resize(std::size_t(count));
    repeat(first, some_);
    return some_;
  }
  if (kept_.empty()) {
    kept_.resize(std::size_t(size_));
    repeat(0, kept_);
  }
  return std::span<double const>(kept_).subspan(std::size_t(first), std::size_t(count));
}

ExactSum const& FieldWeights::whole(std::int64_t level) {
  if (whole_.empty()) {
    whole_.resize(std::size_t(levels_));
    auto const of_level = size_ / levels_;
    for (std::int64_t k = 0; k < levels_; ++k) {
      for (std::int64_t first = 0; first < of_level; first += most_at_once)
        whole_[std::size_t(k)].merge(
            positive_sum(at(k * of_level + first, std::min(most_at_once, of_level - first))));
    }
  }
  return whole_[std::size_t(level)];
}

FieldWeights* KeptWeights::of(io::InputFile const& file, Weighting const& weighting,
                              FieldMeasure const& measure, std::vector<std::int64_t> const& shape,
                              std::int64_t levels) {
  std::int64_t values = 1;
  for (auto const d : dimensions_of(measure)) values *= shape[d];
  if (values > most_measured) return nullptr;
  auto const found = std::ranges::find_if(
      kept_, [&](FieldWeights const& kept) { return kept.is_of(measure, shape, levels); });
  if (found == kept_.end()) {
    auto total = values;
    for (auto const& kept : kept_) total += kept.measured();
    for (; kept_.size() == most_shapes || total > most_measured; kept_.pop_back())
      total -= kept_.back().measured();
    kept_.emplace_front(file, weighting, measure, shape, levels);
  } else {
    kept_.splice(kept_.begin(), kept_, found);
    if (kept_.front().file() != file.path()) kept_.front().move_to(file, weighting);
  }
  return &kept_.front();
}

}  // namespace ulpine::verification::consistency
