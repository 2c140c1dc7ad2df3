// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::detail {
namespace {

/// lkf_tools gives up after so many joins a pass, silently.
constexpr std::int64_t most_joins_of_lkf_tools = 500;

using Vector = std::array<double, 2>;

double dot(Vector const& a, Vector const& b) { return a[0] * b[0] + a[1] * b[1]; }

/// The vector from a to b along rows and columns, in the unit of `cell`.
Vector between(Cell const& a, Cell const& b, Spacing const& cell) {
  return {static_cast<double>(b[0] - a[0]) * cell.rows, static_cast<double>(b[1] - a[1]) * cell.columns};
}

double length(Vector const& a) { return std::sqrt(dot(a, a)); }

struct Part {
  Segment points;
  double mean = 0;  // of log10(eps)
  int version = 0;  // number of joins it went through
  bool gone = false;

  Cell const& end(int which) const { return which == 0 ? points.front() : points.back(); }
};

/// The ends of I and J (0 first, 1 last) that would be joined.
struct NearEnds {
  int i;
  int j;
  double distance;
};

NearEnds near_ends(Part const& I, Part const& J, Spacing const& cell) {
  std::array<NearEnds, 2> nearest;
  for (int j : {0, 1}) {
    auto const first = length(between(I.end(0), J.end(j), cell));
    auto const last = length(between(I.end(1), J.end(j), cell));
    nearest[j] = last < first ? NearEnds{1, j, last} : NearEnds{0, j, first};
  }
  return nearest[1].distance < nearest[0].distance ? nearest[1] : nearest[0];
}

/// Distance of the gap `c` seen along the unit vector `u`, sideways offset weighted.
double elliptic(Vector const& c, Vector const& u, double factor) {
  auto const along = dot(c, u);
  Vector const aside{c[0] - along * u[0], c[1] - along * u[1]};
  return std::sqrt(along * along + factor * dot(aside, aside));
}

class Joiner {
 public:
  Joiner(std::vector<Segment> const& segments, std::span<double const> eps, std::int64_t columns,
         JoinLimits const& limits, Rules rules)
      : limits_{limits}, rules_{rules} {
    for (auto const& segment : segments) {
      double sum = 0;
      for (auto const& [row, column] : segment) sum += std::log10(eps[row * columns + column]);
      parts_.push_back({segment, sum / static_cast<double>(segment.size())});
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) register_ends(i);
  }

  std::vector<Segment> run() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (auto const j : neighbours(i)) {
        if (i < j) consider(i, j);
      }
    }
    for (std::int64_t joins = 0; !queue_.empty();) {
      if (rules_ == Rules::lkf_tools && joins == most_joins_of_lkf_tools) break;
      auto const best = queue_.top();
      queue_.pop();
      auto const& [I, J] = std::tie(parts_[best.row], parts_[best.column]);
      if (I.gone || J.gone || I.version != best.row_version || J.version != best.column_version) continue;
      merge(best.row, best.column);
      ++joins;
    }
    std::vector<Segment> result;
    for (auto& part : parts_) {
      if (!part.gone) result.push_back(std::move(part.points));
    }
    return result;
  }

 private:
  struct Candidate {
    double p;
    std::size_t row, column;  // row < column
    int row_version, column_version;

    bool operator<(Candidate const& other) const {  // std::priority_queue gives the greatest first
      return std::tie(other.p, other.row, other.column) < std::tie(p, row, column);
    }
  };

  /// The bucket so many boxes beside that of an end.
  std::int64_t bucket(Cell const& end, int rows = 0, int columns = 0) const {
    auto const box = [&](std::int32_t index, double spacing) {
      return static_cast<std::int64_t>(index * spacing / (limits_.distance + 1));
    };
    return ((box(end[0], limits_.cell.rows) + rows) << 32) + box(end[1], limits_.cell.columns) + columns;
  }

  void register_ends(std::size_t i) {
    for (int which : {0, 1}) {
      buckets_[bucket(parts_[i].end(which))].push_back(i);
    }
  }

  /// The parts with an end that may be near one of part i, in ascending order.
  std::vector<std::size_t> neighbours(std::size_t i) const {
    std::vector<std::size_t> found;
    for (int which : {0, 1}) {
      auto const& end = parts_[i].end(which);
      for (int dr : {-1, 0, 1}) {
        for (int dc : {-1, 0, 1}) {
          auto const entry = buckets_.find(bucket(end, dr, dc));
          if (entry == buckets_.end()) continue;
          for (auto const j : entry->second) {
            if (j != i && !parts_[j].gone) found.push_back(j);
          }
        }
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Below 1 where I and J may be joined; infinite or NaN where they cannot.
  double improbability(Part const& I, Part const& J) const {
    constexpr auto impossible = std::numeric_limits<double>::infinity();
    auto const p_eps = std::abs(J.mean - I.mean) / limits_.deformation;
    auto const near = near_ends(I, J, limits_.cell);
    if (!(p_eps <= 1) || near.distance > limits_.distance) return impossible;

    auto u = between(I.end(1 - near.i), I.end(near.i), limits_.cell);
    auto v = between(J.end(1 - near.j), J.end(near.j), limits_.cell);
    auto const u_length = length(u);
    auto const v_length = length(v);
    for (int axis : {0, 1}) {
      u[axis] /= u_length;
      v[axis] /= v_length;
    }
    auto cosine = -dot(u, v);
    // Rounding lifts the cosine of some aligned pairs above 1, and lkf_tools never joins those.
    if (rules_ == Rules::repaired && cosine > 1) cosine = 1;
    auto const p_angle = std::acos(cosine) * (180 / std::numbers::pi) / limits_.angle;
    if (!(p_angle <= 1)) return impossible;

    auto const gap = between(I.end(near.i), J.end(near.j), limits_.cell);
    if (dot(gap, u) < 0) return impossible;
    auto const d_i = elliptic(gap, u, limits_.ellipse_factor);
    auto const d_j = elliptic(gap, v, limits_.ellipse_factor);
    if (d_i > limits_.distance || d_j > limits_.distance) return impossible;
    auto const p_distance = (d_i + d_j) / 2 / limits_.distance;
    return std::sqrt(p_eps * p_eps + p_angle * p_angle + p_distance * p_distance);
  }

  /// Queues the pair if it may be joined; `i` is the side from which the gap must lie ahead.
  void consider(std::size_t i, std::size_t j) {
    auto const p = improbability(parts_[i], parts_[j]);
    if (!(p < 1)) return;
    auto const [row, column] = std::minmax(i, j);
    queue_.push({p, row, column, parts_[row].version, parts_[column].version});
  }

  void merge(std::size_t row, std::size_t column) {
    auto& I = parts_[row];
    auto& J = parts_[column];
    auto const near = near_ends(I, J, limits_.cell);
    if (near.i == 0) std::reverse(I.points.begin(), I.points.end());
    if (near.j == 1) std::reverse(J.points.begin(), J.points.end());
    auto const n_i = static_cast<double>(I.points.size());
    auto const n_j = static_cast<double>(J.points.size());
    I.mean = (I.mean * n_i + J.mean * n_j) / (n_i + n_j);
    I.points.insert(I.points.end(), J.points.begin(), J.points.end());
    ++I.version;
    J.gone = true;
    J.points = {};
    register_ends(row);
    for (auto const other : neighbours(row)) consider(row, other);
  }

  JoinLimits limits_;
  Rules rules_;
  std::vector<Part> parts_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> buckets_;  // by boxes wider than the largest gap
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::vector<Segment> join(std::vector<Segment> const& segments, std::span<double const> eps,
                          std::int64_t columns, JoinLimits const& limits, Rules rules) {
  return Joiner{segments, eps, columns, limits, rules}.run();
}

}  // namespace ulpine::lkf::detail
