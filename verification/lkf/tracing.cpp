// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::detail {
namespace {

/// The state of tracing one skeleton. Pixels are positions in the image with a border of one.
class Tracer {
 public:
  Tracer(std::span<std::uint8_t const> skeleton, std::int64_t rows, std::int64_t columns, Rules rules)
      : rules_{rules}, stride_{columns + 2}, open_((rows + 2) * stride_, 0) {
    // Row by row, columns within: in this order the last open neighbour wins.
    for (auto const row : {-stride_, std::int64_t{0}, stride_}) {
      for (auto const column : {-1, 0, 1}) offsets_.push_back(row + column);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        if (skeleton[i * columns + j] == 0) continue;
        pixels_.push_back((i + 1) * stride_ + j + 1);
        open_[pixels_.back()] = 1;
      }
    }
  }

  std::vector<Segment> run(std::int64_t max_steps) {
    start_at_ends();
    for (std::int64_t step = 1; forget_closed() && step <= max_steps; ++step) {
      advance();
      if (active_.empty() && !refill()) break;
    }
    std::vector<Segment> result;
    for (auto const& points : traces_) {
      if (points.size() < 2) continue;
      auto& segment = result.emplace_back();
      for (auto const p : points) segment.push_back(cell(p));
    }
    return result;
  }

 private:
  using Pixel = std::int64_t;

  Cell cell(Pixel p) const {
    return {static_cast<std::int32_t>(p / stride_ - 1), static_cast<std::int32_t>(p % stride_ - 1)};
  }

  /// Open pixels in the 3 x 3 block around p, p included.
  int open_around(Pixel p) const {
    int sum = 0;
    for (auto const offset : offsets_) sum += open_[p + offset];
    return sum;
  }

  void close(std::vector<Pixel> const& pixels) {
    for (auto const p : pixels) open_[p] = 0;
  }

  /// Drops closed pixels from the list; false where none is left.
  bool forget_closed() {
    std::erase_if(pixels_, [&](Pixel p) { return open_[p] == 0; });
    return !pixels_.empty();
  }

  std::vector<Pixel> open_with(auto const& condition) const {
    std::vector<Pixel> found;
    std::copy_if(pixels_.begin(), pixels_.end(), std::back_inserter(found),
                 [&](Pixel p) { return open_[p] != 0 && condition(open_around(p)); });
    return found;
  }

  void add_traces(std::vector<Pixel> const& starts) {
    for (auto const p : starts) {
      active_.push_back(traces_.size());
      traces_.push_back({p});
    }
  }

  void start_at_ends() {
    auto const starts = open_with([](int sum) { return sum <= 2; });
    close(open_with([](int sum) { return sum == 2; }));
    add_traces(starts);
    std::erase_if(active_, [&](std::size_t t) { return open_around(traces_[t].front()) != 1; });
  }

  /// Is the step to `next` off the mean direction of the last four steps by more than a diagonal's worth?
  bool turns_sharply(std::vector<Pixel> const& points, Pixel next) const {
    if (points.size() < 2) return false;
    auto const n = std::min<std::size_t>(5, points.size());
    auto const from = cell(points[points.size() - n]);
    auto const last = cell(points.back());
    auto const to = cell(next);
    double turn = 0;
    for (int axis : {0, 1}) {
      turn += std::abs(static_cast<double>(last[axis] - from[axis]) / static_cast<double>(n - 1) -
                       (to[axis] - last[axis]));
    }
    return turn > 1;
  }

  struct Proposal {
    std::size_t position;  // in the list of active traces
    Pixel pixel;
    bool sharp;
  };

  std::vector<Proposal> propose() const {
    std::vector<Proposal> proposals;
    for (std::size_t position = 0; position < active_.size(); ++position) {
      auto const& points = traces_[active_[position]];
      auto const offset = std::find_if(offsets_.rbegin(), offsets_.rend(),
                                       [&](std::int64_t o) { return open_[points.back() + o] != 0; });
      if (offset == offsets_.rend()) continue;
      auto const next = points.back() + *offset;
      proposals.push_back({position, next, turns_sharply(points, next)});
    }
    return proposals;
  }

  /// One step of all active traces.
  void advance() {
    auto const proposals = propose();
    std::vector<std::uint8_t> goes_on(active_.size(), 0);
    for (auto const& proposal : proposals) {
      if (proposal.sharp) continue;
      traces_[active_[proposal.position]].push_back(proposal.pixel);
      goes_on[proposal.position] = 1;
    }
    for (auto const& proposal : proposals) open_[proposal.pixel] = 0;

    std::vector<Pixel> branches;
    for (auto const& proposal : proposals) {
      if (open_around(proposal.pixel) <= 1) continue;
      goes_on[proposal.position] = 0;
      for (auto const offset : offsets_) {
        auto const p = proposal.pixel + offset;
        if (open_[p] != 0 && open_around(p) <= 2) branches.push_back(p);
      }
    }
    stop_same_heads(proposals, goes_on);

    std::sort(branches.begin(), branches.end());
    branches.erase(std::unique(branches.begin(), branches.end()), branches.end());
    close(branches);
    std::vector<std::size_t> active;
    for (std::size_t position = 0; position < active_.size(); ++position) {
      if (goes_on[position] != 0) active.push_back(active_[position]);
    }
    active_ = std::move(active);
    add_traces(branches);
  }

  /// Traces that step onto the same pixel stop. lkf_tools counts their positions among the traces that found
  /// a pixel, but stops the traces at these positions of the list of all active ones.
  void stop_same_heads(std::vector<Proposal> const& proposals, std::vector<std::uint8_t>& goes_on) const {
    std::unordered_map<Pixel, int> heads;
    for (auto const& proposal : proposals) ++heads[proposal.pixel];
    for (std::size_t k = 0; k < proposals.size(); ++k) {
      if (heads[proposals[k].pixel] < 2) continue;
      goes_on[rules_ == Rules::lkf_tools ? k : proposals[k].position] = 0;
    }
  }

  /// Starts anew on what no trace has reached, such as closed rings; false where nothing can be started.
  bool refill() {
    auto const inner = open_with([](int sum) { return sum == 3; });
    std::vector<Pixel> starts;
    for (std::size_t first : {0, 1}) {
      for (auto k = first; k < inner.size(); k += 100) starts.push_back(inner[k]);
    }
    close(starts);
    auto const ends = open_with([](int sum) { return sum <= 2; });
    close(ends);
    starts.insert(starts.end(), ends.begin(), ends.end());
    add_traces(starts);
    return !active_.empty();
  }

  Rules rules_;
  std::int64_t stride_;
  std::vector<std::uint8_t> open_;     // 1 where the skeleton is set and not yet detected
  std::vector<std::int64_t> offsets_;  // of the 3 x 3 block
  std::vector<Pixel> pixels_;          // the open pixels in row-major order (and some closed since)
  std::vector<std::vector<Pixel>> traces_;
  std::vector<std::size_t> active_;
};

}  // namespace

std::vector<Segment> trace(std::span<std::uint8_t const> skeleton, std::int64_t rows, std::int64_t columns,
                           std::int64_t max_steps, Rules rules) {
  return Tracer{skeleton, rows, columns, rules}.run(max_steps);
}

}  // namespace ulpine::lkf::detail
