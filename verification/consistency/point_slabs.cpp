// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/point_slabs.hpp"

#include <algorithm>
#include <future>
#include <numeric>

namespace ulpine::verification::consistency {
namespace {

/// Points of one variable among those that are read together.
struct Piece {
  std::size_t variable = 0;
  std::int64_t first = 0, points = 0;
};

/// Pieces that are read together, of no more points than `most_points`.
std::vector<std::vector<Piece>> parts_of(EnsembleSummary const& summary, std::int64_t most_points) {
  std::vector<std::vector<Piece>> parts(1);
  auto left = most_points;
  for (std::size_t v = 0; v < summary.variables.size(); ++v) {
    auto const size = summary.variables[v].levels * summary.variables[v].points;
    for (std::int64_t first = 0; first < size;) {
      if (left == 0) {
        parts.emplace_back();
        left = most_points;
      }
      auto const points = std::min(left, size - first);
      parts.back().push_back({v, first, points});
      first += points;
      left -= points;
    }
  }
  return parts;
}

/// What is read together.
class Read {
 public:
  Read(std::vector<Runs> const& runs, std::size_t time, std::vector<Piece> const& pieces) : pieces_{pieces} {
    for (auto const& group : runs) runs_ += group.summary->members.size();
    std::int64_t points = 0;
    for (auto const& piece : pieces) points += piece.points;
    weights_.resize(std::size_t(points));
    values_.resize(std::size_t(points) * runs_);
    each_piece([&](Piece const& piece, std::span<double> weights, std::span<double>) {
      runs.front().fields->read_weights(piece.variable, piece.first, weights);
    });
    std::size_t number = 0;
    for (auto const& group : runs) {
      for (std::size_t run = 0; run < group.summary->members.size(); ++run, ++number) {
        each_piece([&](Piece const& piece, std::span<double> weights, std::span<double> values) {
          group.fields->read(run, piece.variable, time, piece.first,
                             values.subspan(number * weights.size(), weights.size()));
        });
      }
    }
  }
  void give(UsePointSlab const& use) {
    each_piece([&](Piece const& piece, std::span<double> weights, std::span<double> values) {
      use({piece.variable, piece.first, weights, values});
    });
  }

 private:
  template <class Do>
  void each_piece(Do const& what) {
    std::size_t done = 0;
    for (auto const& piece : pieces_) {
      auto const points = std::size_t(piece.points);
      what(piece, std::span(weights_).subspan(done, points),
           std::span(values_).subspan(done * runs_, points * runs_));
      done += points;
    }
  }

  std::vector<Piece> pieces_;
  std::size_t runs_ = 0;
  std::vector<double> weights_, values_;
};

}  // namespace

void for_each_slab(std::vector<Runs> const& runs, std::size_t time, UsePointSlab const& use,
                   std::int64_t most_values) {
  std::size_t count = 1;  // the weights are as another run
  for (auto const& group : runs) count += group.summary->members.size();
  // While one part is used the next is read.
  auto const most_points = std::max<std::int64_t>(1, most_values / 2 / std::int64_t(count));
  auto const parts = parts_of(*runs.front().summary, most_points);
  auto const read = [&](std::size_t part) {
    return std::async(std::launch::async, [&, part] { return Read(runs, time, parts[part]); });
  };
  auto next = read(0);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    auto current = next.get();
    if (part + 1 < parts.size()) next = read(part + 1);
    current.give(use);
  }
}

}  // namespace ulpine::verification::consistency
