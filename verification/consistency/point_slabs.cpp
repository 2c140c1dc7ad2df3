// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/point_slabs.hpp"

#include <algorithm>
#include <future>
#include <utility>

namespace ulpine::verification::consistency {
namespace {

/// Points of one variable among those that are read together.
struct Piece {
  std::size_t variable = 0;
  std::int64_t first = 0, points = 0;
  std::vector<std::size_t> times;

  /// Values of a point: of all runs at all times, and its weight.
  std::int64_t of_point(std::size_t runs) const { return std::int64_t(runs * times.size()) + 1; }
};
using Part = std::vector<Piece>;

/// Pieces that are read together, of no more values than `most_values` but for single points.
std::vector<Part> parts_of(EnsembleSummary const& summary, std::size_t runs, TimesOf const& times,
                           std::int64_t most_values) {
  std::vector<Part> parts(1);
  auto left = most_values;
  for (std::size_t v = 0; v < summary.variables.size(); ++v) {
    auto const size = summary.variables[v].levels * summary.variables[v].points;
    Piece piece{v, 0, 0, times(v)};
    if (piece.times.empty()) continue;
    auto const of_point = piece.of_point(runs);
    while (piece.first < size) {
      if (left < of_point && !parts.back().empty()) {
        parts.emplace_back();
        left = most_values;
      }
      piece.points = std::clamp<std::int64_t>(left / of_point, 1, size - piece.first);
      parts.back().push_back(piece);
      piece.first += piece.points;
      left -= piece.points * of_point;
    }
  }
  return parts;
}

/// Whether the runs of a part are read from the first on or from the last: those read last of one part, whose
/// files are still open, are the first of the next.
enum class Direction { forwards, backwards };

/// What is read together.
class Read {
 public:
  Read(std::vector<Runs> const& runs, std::size_t count, Part const& part, Direction direction)
      : part_{part}, runs_{count} {
    std::size_t points = 0, values = 0;
    for (auto const& piece : part) {
      points += std::size_t(piece.points);
      values += std::size_t(piece.points) * runs_ * piece.times.size();
    }
    weights_.resize(points);
    values_.resize(values);
    each_piece([&](Piece const& piece, std::span<double> weights, std::span<double>) {
      runs.front().fields->read_weights(piece.variable, piece.first, weights);
    });
    struct Place {
      Runs const* group;
      std::size_t run, number;
    };
    std::vector<Place> order;
    for (auto const& group : runs) {
      for (std::size_t run = 0; run < group.summary->members.size(); ++run)
        order.push_back({&group, run, order.size()});
    }
    if (direction == Direction::backwards) std::ranges::reverse(order);
    for (auto const& [group, run, number] : order) {
      each_piece([&](Piece const& piece, std::span<double> weights, std::span<double> of_piece) {
        for (std::size_t t = 0; t < piece.times.size(); ++t)
          group->fields->read(run, piece.variable, piece.times[t], piece.first,
                              of_piece.subspan((t * runs_ + number) * weights.size(), weights.size()));
      });
    }
  }
  void give(UsePointSlab const& use) {
    each_piece([&](Piece const& piece, std::span<double> weights, std::span<double> values) {
      use({piece.variable, piece.first, piece.times, weights, values});
    });
  }

 private:
  template <class Do>
  void each_piece(Do const& what) {
    std::span<double> weights = weights_, values = values_;
    for (auto const& piece : part_) {
      auto const points = std::size_t(piece.points), all = points * runs_ * piece.times.size();
      what(piece, weights.first(points), values.first(all));
      weights = weights.subspan(points);
      values = values.subspan(all);
    }
  }

  Part part_;
  std::size_t runs_ = 0;
  std::vector<double> weights_, values_;
};

}  // namespace

void for_each_slab(std::vector<Runs> const& runs, TimesOf const& times, UsePointSlab const& use,
                   std::int64_t most_values) {
  std::size_t count = 0;
  for (auto const& group : runs) count += group.summary->members.size();
  // While one part is used the next is read.
  auto const parts = parts_of(*runs.front().summary, count, times, most_values / 2);
  auto const read = [&](std::size_t part) {
    return std::async(std::launch::async, [&, part] {
      auto const direction = part % 2 == 0 ? Direction::forwards : Direction::backwards;
      return Read(runs, count, parts[part], direction);
    });
  };
  auto next = read(0);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto current = next.get();
    if (part + 1 < parts.size()) next = read(part + 1);
    current.give(use);
  }
}

}  // namespace ulpine::verification::consistency
