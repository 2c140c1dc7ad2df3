// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "core/field/raw_field.hpp"
#include "support/random_values.hpp"

/// Layouts of all kinds, with where their points lie as plain nested loops have it.
namespace ulpine::test {

/// How a part of a domain lies in memory, axis by axis, slowest first.
struct MemoryPlan {
  std::vector<std::int64_t> domain;       ///< points of the whole domain
  std::vector<std::int64_t> begin, size;  ///< the part that is owned
  std::vector<std::int64_t> halo;         ///< points on both sides in memory
  std::vector<std::size_t> order;         ///< axes from the fastest in memory to the slowest
  std::int64_t padding = 0;               ///< values after each run of the fastest axis
  std::vector<std::int64_t> positions;    ///< along the last axis; empty: as numbered

  /// All of `domain`, dense.
  static MemoryPlan dense(std::vector<std::int64_t> domain) {
    MemoryPlan plan;
    auto const rank = domain.size();
    plan.size = domain;
    plan.begin.assign(rank, 0);
    plan.halo.assign(rank, 0);
    for (std::size_t a = rank; a-- > 0;) plan.order.push_back(a);
    plan.domain = std::move(domain);
    return plan;
  }
  /// The same points in memory of another shape.
  MemoryPlan elsewhere(RandomValues& random, bool with_positions) const {
    auto plan = *this;
    for (auto& halo : plan.halo) halo = static_cast<std::int64_t>(random.below(3));
    random.shuffle(plan.order);
    plan.padding = static_cast<std::int64_t>(random.below(4));
    plan.positions.clear();
    if (with_positions) {
      plan.positions.resize(static_cast<std::size_t>(size.back()));
      std::iota(plan.positions.begin(), plan.positions.end(), 0);
      random.shuffle(plan.positions);
    }
    return plan;
  }
};

/// A layout as planned, and of each owned point, row-major, the place in memory and the dense index.
struct LaidOut {
  Layout layout;
  std::shared_ptr<std::vector<std::int64_t>> positions;
  std::vector<std::int64_t> memory, dense;

  explicit LaidOut(MemoryPlan const& plan)
      : positions{std::make_shared<std::vector<std::int64_t>>(plan.positions)} {
    auto const rank = plan.domain.size();
    std::vector<LayoutAxis> axes(rank);
    std::int64_t stride = 1, offset = 0;
    for (auto const a : plan.order) {
      axes[a] = {plan.size[a], stride, plan.domain[a], plan.begin[a]};
      offset += plan.halo[a] * stride;
      stride *= plan.size[a] + 2 * plan.halo[a] + (a == plan.order[0] ? plan.padding : 0);
    }
    layout = Layout(axes, offset, stride);
    if (!positions->empty()) layout = layout.with_positions(positions->data());

    // Axes in front that a layout of fewer than four lacks.
    std::array<std::int64_t, 4> size{1, 1, 1, 1}, domain{1, 1, 1, 1}, begin{}, strides{};
    for (std::size_t a = 0; a < rank; ++a) {
      size[4 - rank + a] = plan.size[a];
      domain[4 - rank + a] = plan.domain[a];
      begin[4 - rank + a] = plan.begin[a];
      strides[4 - rank + a] = axes[a].stride;
    }
    for (std::int64_t l = 0; l < size[0]; ++l) {
      for (std::int64_t k = 0; k < size[1]; ++k) {
        for (std::int64_t j = 0; j < size[2]; ++j) {
          for (std::int64_t i = 0; i < size[3]; ++i) {
            auto const column = positions->empty() ? i : (*positions)[static_cast<std::size_t>(i)];
            memory.push_back(offset + l * strides[0] + k * strides[1] + j * strides[2] + column * strides[3]);
            dense.push_back((((begin[0] + l) * domain[1] + begin[1] + k) * domain[2] + begin[2] + j) *
                                domain[3] +
                            begin[3] + i);
          }
        }
      }
    }
  }
};

/// Up to four axes of 1 to 6 points, all owned or a part of them.
inline MemoryPlan random_plan(RandomValues& random, std::size_t rank, bool partial) {
  std::vector<std::int64_t> domain(rank);
  for (auto& extent : domain) extent = static_cast<std::int64_t>(1 + random.below(6));
  auto plan = MemoryPlan::dense(domain);
  for (std::size_t a = 0; partial && a < rank; ++a) {
    plan.begin[a] = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(domain[a])));
    plan.size[a] =
        static_cast<std::int64_t>(1 + random.below(static_cast<std::size_t>(domain[a] - plan.begin[a])));
  }
  return plan;
}

/// Values of T in memory of a layout; what lies in halo and padding is `junk`.
template <class T>
struct Stored {
  LaidOut place;
  std::vector<T> memory;
  int threads = 1;

  /// `values` at the owned points, row-major.
  Stored(LaidOut where, std::vector<T> const& values, T junk)
      : place{std::move(where)}, memory(static_cast<std::size_t>(place.layout.allocated()), junk) {
    for (std::size_t n = 0; n < place.memory.size(); ++n) {
      memory[static_cast<std::size_t>(place.memory[n])] = values[n];
    }
  }
  RawField raw() {
    RawField field;
    field.data = memory.data();
    field.layout = place.layout;
    field.type = value_type_of<T>;
    field.threads = threads;
    return field;
  }
  /// The owned points, row-major.
  std::vector<T> values() const {
    std::vector<T> result;
    for (auto const at : place.memory) result.push_back(memory[static_cast<std::size_t>(at)]);
    return result;
  }
  /// Whether halo and padding hold `junk` still, to the bit.
  bool junk_is_untouched(T junk) const {
    std::vector<bool> owned(memory.size());
    for (auto const at : place.memory) owned[static_cast<std::size_t>(at)] = true;
    for (std::size_t k = 0; k < memory.size(); ++k) {
      if (!owned[k] && !(memory[k] == junk)) return false;
    }
    return true;
  }
};

}  // namespace ulpine::test
