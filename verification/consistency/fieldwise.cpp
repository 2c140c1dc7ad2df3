// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "verification/consistency/method.hpp"
#include "verification/statistics/statistics.hpp"
#include "verification/statistics/two_sample.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* fieldwise_method = "fieldwise";
constexpr std::int64_t slab = std::int64_t{1} << 20;  // values of a run held at once

/// Points of a variable in all runs, chosen at random where there are more than are asked for.
struct Sampled {
  std::vector<std::vector<double>> values;  ///< [run][point]
  std::vector<double> weights;              ///< [point]
};

std::vector<std::int64_t> chosen_points(std::int64_t size, std::int64_t most, std::uint64_t seed) {
  std::vector<std::int64_t> points;
  if (size <= most) {
    points.resize(std::size_t(size));
    std::iota(points.begin(), points.end(), std::int64_t{0});
    return points;
  }
  // One of each of `most` equal stretches, so that all of the field is seen.
  Draws draws(seed, std::uint64_t(size));
  for (std::int64_t k = 0; k < most; ++k) {
    auto const first = k * size / most, next = (k + 1) * size / most;
    points.push_back(first + std::int64_t(draws.below(std::size_t(next - first))));
  }
  return points;
}

/// Calls read(first, values) for slabs that hold some of the points, and keeps these.
template <class Read>
std::vector<double> read_points(std::vector<std::int64_t> const& points, std::int64_t size,
                                Read const& read) {
  std::vector<double> kept, values;
  std::size_t next = 0;
  while (next < points.size()) {
    auto const first = points[next] / slab * slab;
    values.resize(std::size_t(std::min(slab, size - first)));
    read(first, values);
    for (; next < points.size() && points[next] < first + slab; ++next)
      kept.push_back(values[std::size_t(points[next] - first)]);
  }
  return kept;
}

/// The distance of two groups of runs at each point, and which points reject.
class Rejections {
 public:
  Rejections(Sampled sampled, std::size_t first, bool of_ranks, double alpha)
      : sampled_{std::move(sampled)}, n_{first}, m_{sampled_.values.size() - first} {
    auto const n = double(n_), m = double(m_);
    if (of_ranks) {
      take_ranks();
      auto const critical = two_sided_deviate(alpha);
      // Student's t of ranks and the normal deviate of their sum say the same (Conover and Iman 1981).
      auto const all = n + m;
      critical_ = critical * std::sqrt((all - 2) / std::max(all - 1 - critical * critical, 1.0));
    } else {
      critical_ = student_quantile(1 - alpha / 2, n + m - 2);
    }
    for (auto const weight : sampled_.weights) total_ += weight;
    find_limits();
  }
  /// The weighted share of points whose groups differ.
  double share(std::span<std::size_t const> order) const {
    auto const smaller = n_ < m_ ? order.first(n_) : order.last(m_);
    std::ranges::fill(sums_, 0.0);
    for (auto const run : smaller) {
      auto const& centred = centred_[run];
      for (std::size_t point = 0; point < sums_.size(); ++point) sums_[point] += centred[point];
    }
    for (std::size_t point = 0; point < sums_.size(); ++point)
      reaches_[point] = std::abs(sums_[point]) >= least_[point] ? 1 : 0;
    double rejected = 0;
    for (auto hit = std::ranges::find(reaches_, 1); hit != reaches_.end();
         hit = std::find(hit + 1, reaches_.end(), 1)) {
      auto const point = std::size_t(hit - reaches_.begin());
      if (std::abs(sums_[point]) > most_[point] || rejects(point, order)) rejected += sampled_.weights[point];
    }
    return total_ > 0 ? rejected / total_ : 0;
  }
  bool empty() const { return total_ == 0; }

 private:
  /// Whether the groups differ at a point.
  bool rejects(std::size_t point, std::span<std::size_t const> order) const {
    auto const n = double(n_), m = double(m_);
    double sum[2] = {}, squares = 0;
    for (std::size_t i = 0; i < order.size(); ++i) sum[i >= n_] += sampled_.values[order[i]][point];
    auto const first = sum[0] / n, second = sum[1] / m;
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const left = sampled_.values[order[i]][point] - (i >= n_ ? second : first);
      squares += left * left;
    }
    auto const error2 = squares / (n + m - 2) * (1 / n + 1 / m), difference = second - first;
    return difference * difference > critical_ * critical_ * error2;
  }
  /// With d the sum of one group's values about the mean of all, S all squares about it and g = 1/n + 1/m,
  /// the squares within the groups are S - g d^2: the groups differ where d^2 > k S / (g (1 + k)), k =
  /// critical^2 / (n + m - 2), which no labelling changes. Nearer to it than rounding may bring either side,
  /// rejects() tells.
  void find_limits() {
    auto const runs = double(n_ + m_), g = 1 / double(n_) + 1 / double(m_);
    auto const k = critical_ * critical_ / (runs - 2);
    auto const points = sampled_.weights.size();
    centred_.assign(n_ + m_, std::vector<double>(points, 0));
    sums_.resize(points);
    reaches_.resize(points);
    least_.assign(points, std::numeric_limits<double>::infinity());
    most_ = least_;
    for (std::size_t point = 0; point < points; ++point) {
      if (sampled_.weights[point] == 0) continue;
      double mean = 0, squares = 0, largest = 0;
      for (auto const& run : sampled_.values) {
        mean += run[point] / runs;
        largest = std::max(largest, std::abs(run[point]));
      }
      for (std::size_t i = 0; i < centred_.size(); ++i) {
        auto const left = centred_[i][point] = sampled_.values[i][point] - mean;
        squares += left * left;
      }
      auto const limit = std::sqrt(k * squares / (g * (1 + k)));
      constexpr double rounding = 1e-9;
      auto const unsure =
          rounding * limit + 8 * runs * runs * std::numeric_limits<double>::epsilon() * largest;
      auto const known = std::isfinite(limit) && std::isfinite(unsure);
      least_[point] = known ? limit - unsure : 0;
      if (known) most_[point] = limit + unsure;
    }
  }
  void take_ranks() {
    auto const runs = sampled_.values.size();
    std::vector<std::size_t> order(runs);
    for (std::size_t point = 0; point < sampled_.weights.size(); ++point) {
      auto const at = [&](std::size_t run) -> double& { return sampled_.values[run][point]; };
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, at);
      for (std::size_t begin = 0, end = 0; begin < runs; begin = end) {
        auto const value = at(order[begin]);
        for (end = begin; end < runs && at(order[end]) == value; ++end) {
        }
        // Above all values that are still to be replaced stand the ranks: replaced only once the group is
        // known.
        for (auto i = begin; i < end; ++i) ranks_.push_back((double(begin + end) + 1) / 2);
      }
      for (std::size_t i = 0; i < runs; ++i) at(order[i]) = ranks_[i];
      ranks_.clear();
    }
  }

  Sampled sampled_;
  std::size_t n_, m_;
  double critical_ = 0, total_ = 0;
  std::vector<double> ranks_;
  std::vector<std::vector<double>> centred_;  ///< values about their mean: [run][point]
  std::vector<double> least_, most_;  ///< sizes of sums below which groups agree, above which they differ
  mutable std::vector<double> sums_;  ///< of the smaller group, by point
  mutable std::vector<char> reaches_;
};

/// Points of all variables that have some, in all runs, the ensemble first: run by run, so that each file is
/// opened once.
std::vector<std::optional<Sampled>> sample(Runs const& ensemble, Runs const& tests, std::size_t time,
                                           std::int64_t most, std::uint64_t seed) {
  auto const& variables = ensemble.summary->variables;
  std::vector<std::optional<Sampled>> all(variables.size());
  std::vector<std::vector<std::int64_t>> points(variables.size());
  auto const size_of = [&](std::size_t v) { return variables[v].levels * variables[v].points; };
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (size_of(v) < 2) continue;
    points[v] = chosen_points(size_of(v), most, seed);
    all[v].emplace().weights =
        read_points(points[v], size_of(v), [&](std::int64_t first, std::vector<double>& weights) {
          ensemble.fields->read_weights(v, first, weights);
        });
  }
  for (auto const* runs : {&ensemble, &tests}) {
    for (std::size_t run = 0; run < runs->summary->members.size(); ++run) {
      for (std::size_t v = 0; v < variables.size(); ++v) {
        if (!all[v]) continue;
        all[v]->values.push_back(
            read_points(points[v], size_of(v), [&](std::int64_t first, std::vector<double>& values) {
              runs->fields->read(run, v, time, first, values);
            }));
      }
    }
  }
  for (auto& sampled : all) {
    if (!sampled) continue;
    for (std::size_t p = 0; p < sampled->weights.size(); ++p) {
      auto const finite =
          std::ranges::all_of(sampled->values, [&](auto const& run) { return std::isfinite(run[p]); });
      auto const same = std::ranges::all_of(sampled->values,
                                            [&](auto const& run) { return run[p] == sampled->values[0][p]; });
      if (!finite || same) sampled->weights[p] = 0;  // nothing can be told there
    }
  }
  return all;
}

}  // namespace

Outcome field_by_field(Task const& task) {
  auto& parameters = task.parameters;
  auto const test = parameters.choice("test", {"student", "mann-whitney"});
  auto const alpha = parameters.number("alpha", 0.05, 1e-6, 0.5);
  auto const points = parameters.integer("points", 1000, 1, 1 << 24);
  auto const relabellings =
      parameters.integer("relabellings", std::int64_t(std::ceil(2 / task.rate)), 20, 1000000);
  auto const quantile = parameters.number("quantile", 0.95, 0.5, 1);
  // All methods together doubt equal runs in about 5 %.
  auto const doubt = parameters.number("doubt", 0.05 * task.part, 0, 1);
  parameters.reject_unknown();
  auto const& request = task.request;
  if (request.ensemble.fields == nullptr || request.tests.fields == nullptr) {
    return not_applied(fieldwise_method,
                       "a summary file has no fields (name the folder of the files instead)");
  }
  auto const& ensemble = *request.ensemble.summary;
  auto const& tests = *request.tests.summary;
  auto const n = ensemble.members.size(), m = tests.members.size();
  constexpr std::size_t fewest = 3;
  if (n < fewest || m < fewest) {
    return without_power(
        fieldwise_method,
        fmt::format("{} members and {} new runs ({} of each are the least to test a point)", n, m, fewest),
        fewest, "members and new runs");
  }
  if (!can_relabel(n, m, task.rate)) {
    auto const needed = members_to_relabel(m, task.rate);
    return without_power(fieldwise_method,
                         fmt::format("{} members and {} new runs can be labelled in too few ways for a rate "
                                     "of {:.2g} %: {} members are needed",
                                     n, m, 100 * task.rate, needed),
                         needed, "members");
  }

  Outcome outcome;
  outcome.method = fieldwise_method;
  outcome.nominal_rate = task.rate;
  auto const time = ensemble.times.size() - 1;
  std::vector<std::size_t> order(n + m);
  std::vector<std::string> names;
  std::vector<double> observed;
  std::vector<std::vector<double>> shares;  // [variable][relabelling]
  // The share of other accepted runs is reported beside it.
  auto const has_control =
      request.control.fields != nullptr && request.control.summary->members.size() >= fewest;
  auto controls = has_control ? sample(request.ensemble, request.control, time, points, request.seed)
                              : std::vector<std::optional<Sampled>>(ensemble.variables.size());
  std::vector<double> of_controls;  // shares; one for each name
  auto sampled = sample(request.ensemble, request.tests, time, points, request.seed);
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    if (!sampled[v]) continue;
    Rejections const rejections(std::move(*sampled[v]), n, test == "mann-whitney", alpha);
    if (rejections.empty()) {
      outcome.findings.push_back({.subject = ensemble.variables[v].name,
                                  .note = "left out: the same in all runs, or not finite, everywhere"});
      continue;
    }
    names.push_back(ensemble.variables[v].name);
    of_controls.push_back(not_a_number);
    if (controls[v]) {
      std::vector<std::size_t> labels(controls[v]->values.size());
      std::iota(labels.begin(), labels.end(), std::size_t{0});
      of_controls.back() =
          Rejections(std::move(*controls[v]), n, test == "mann-whitney", alpha).share(labels);
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    observed.push_back(rejections.share(order));
    auto& relabelled = shares.emplace_back();
    for (std::int64_t draw = 0; draw < relabellings; ++draw) {
      Draws draws(request.seed, std::uint64_t(draw));  // the same runs in all variables
      std::iota(order.begin(), order.end(), std::size_t{0});
      draw_last(order, m, draws);
      relabelled.push_back(rejections.share(order));
    }
  }
  if (names.empty()) return not_applied(fieldwise_method, "no variable has points that vary");

  // Variables are put on one scale by their relabelled shares; how large the largest may be, the same
  // relabellings tell.
  std::vector<double> largest(std::size_t(relabellings), 0), scaled(names.size());
  for (std::size_t v = 0; v < names.size(); ++v) {
    auto const [mean, sd, count] = moments(shares[v]);
    auto const scale = [mean = mean, sd = sd](double share) { return sd > 0 ? (share - mean) / sd : 0; };
    scaled[v] = scale(observed[v]);
    for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], scale(shares[v][k]));
  }
  Line of_tests{"new runs", "test", {}, {}},
      of_control{fmt::format("{:g} % of relabelled runs", 100 * quantile), "limit", {}, {}};
  double least_p = 1;
  std::size_t worst = 0;
  for (std::size_t v = 0; v < names.size(); ++v) {
    auto const above = [&](std::vector<double> const& all, double value) {
      auto const count = std::ranges::count_if(all, [&](double x) { return x >= value * (1 - 1e-12); });
      return (1 + double(count)) / (1 + double(all.size()));
    };
    Finding finding;
    finding.subject = names[v];
    finding.value = observed[v];
    auto sorted = shares[v];
    std::ranges::sort(sorted);
    finding.limit = sorted[std::min(sorted.size() - 1, std::size_t(quantile * double(sorted.size())))];
    finding.p = above(shares[v], observed[v]);
    finding.adjusted_p = above(largest, scaled[v]);
    finding.rejected = *finding.adjusted_p <= task.rate;
    finding.note =
        fmt::format("share of points that reject; limit: {:g} % quantile of relabelled runs, as published",
                    100 * quantile);
    if (std::isfinite(of_controls[v]))
      finding.note += fmt::format("; {:.3g} in control runs", of_controls[v]);
    if (*finding.adjusted_p < least_p) {
      least_p = *finding.adjusted_p;
      worst = v;
    }
    of_tests.x.push_back(double(v));
    of_tests.y.push_back(observed[v]);
    of_control.x.push_back(double(v));
    of_control.y.push_back(*finding.limit);
    outcome.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& f) { return f.adjusted_p.value_or(2); });
  auto const of_worst = fmt::format("adjusted p = {:.2g} over {} variables, {} relabellings", least_p,
                                    names.size(), relabellings);
  auto const share = fmt::format("{:.1f} % of the points of {}", 100 * observed[worst], names[worst]);
  if (least_p <= task.rate) {
    outcome.answer = Answer::different;
    outcome.statement = fmt::format("{} rejects {} ({})", test, share, of_worst);
  } else if (least_p <= doubt) {
    outcome.answer = Answer::undecided;
    // With so many more runs a difference of this size would probably be beyond the rate.
    constexpr double deviate_of_power = 0.8416;  // of 80 %
    auto const deviate = [](double one_sided) { return two_sided_deviate(2 * one_sided); };
    auto const more = std::pow((deviate(task.rate) + deviate_of_power) / deviate(std::min(least_p, 0.4)), 2);
    outcome.members_needed = std::int64_t(std::ceil(more * double(std::max(n, m))));
    outcome.needed_of = "members and as many new runs";
    outcome.statement = fmt::format(
        "{} may differ: {} rejects {} ({}), more than chance often makes, too little to be called a "
        "difference; "
        "{} {} would decide",
        names[worst], test, share, of_worst, *outcome.members_needed, outcome.needed_of);
  } else {
    outcome.answer = Answer::consistent;
    outcome.statement =
        fmt::format("{} rejects no more than relabelled runs do: {} ({})", test, share, of_worst);
  }
  Figure figure{"fieldwise_shares",
                "Share of points that reject",
                "",
                "share",
                "linear",
                "linear",
                names,
                {std::move(of_tests), std::move(of_control)}};
  outcome.figures.push_back(std::move(figure));
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
