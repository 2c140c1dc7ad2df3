// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "verification/consistency/explained.hpp"
#include "verification/consistency/points.hpp"
#include "verification/statistics/statistics.hpp"
#include "verification/statistics/two_sample.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* fieldwise_method = "fieldwise";
constexpr std::int64_t slab_size = std::int64_t{1} << 20;  // weights held at once

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
  std::size_t runs() const { return n_ + m_; }

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

/// How a variable's fields differ, observed and in relabelled runs.
struct OfVariable {
  std::string name;
  std::size_t variable = 0;
  std::vector<double> shares;                        ///< of points that reject; the observed one first
  std::array<double, Explained::kinds> explained{};  ///< scaled: the largest over times
  std::string time;                                  ///< of the largest of all
};

/// Mean and standard deviation put statistics of relabelled runs on one scale; the observed one is one of
/// them.
void to_scale(std::vector<double>& statistics) {
  auto const [mean, sd, count] = moments(statistics);
  for (auto& statistic : statistics) statistic = sd > 0 ? (statistic - mean) / sd : 0;
}

struct Settings {
  bool of_ranks = false;
  double alpha = 0, quantile = 0, doubt = 0;
  std::int64_t points = 0, relabellings = 0;
};
Settings settings_of(Task const& task) {
  auto& parameters = task.parameters;
  Settings settings;
  settings.of_ranks = parameters.choice("test", {"student", "mann-whitney"}) == "mann-whitney";
  settings.alpha = parameters.number("alpha", 0.05, 1e-6, 0.5);
  settings.points = parameters.integer("points", 1000, 1, 1 << 24);
  settings.relabellings =
      parameters.integer("relabellings", std::int64_t(std::ceil(4 / task.rate)), 20, 1000000);
  settings.quantile = parameters.number("quantile", 0.95, 0.5, 1);
  settings.doubt = parameters.number("doubt", doubtful, 0, 1);
  parameters.reject_unknown();
  return settings;
}

/// Keeps chosen points of a variable, at all times.
class Samples {
 public:
  Samples(Request const& request, std::int64_t points) : request_{request}, most_{points} {
    runs_ = request.ensemble.summary->members.size() + request.tests.summary->members.size();
  }
  void add(PointBlock const& block) {
    if (!begun_) begin(block.variable);
    if (chosen_.empty()) return;
    auto& sampled = at_[block.time];
    sampled.values.resize(runs_);
    auto const end = block.first + std::int64_t(block.points);
    for (auto point = std::ranges::lower_bound(chosen_, block.first); point != chosen_.end() && *point < end;
         ++point) {
      auto const p = std::size_t(*point - block.first);
      bool finite = true, same = true;
      for (std::size_t run = 0; run < runs_; ++run) {
        auto const value = block.run(run)[p];
        sampled.values[run].push_back(value);
        finite = finite && std::isfinite(value);
        same = same && value == block.run(0)[p];
      }
      // Nothing can be told where values are missing or all the same.
      auto const number = std::size_t(point - chosen_.begin());
      sampled.weights.push_back(finite && !same ? weights_[number] : 0);
    }
  }
  /// By time; the mean over all has none, and comes first.
  std::map<std::optional<std::size_t>, Sampled> take() {
    begun_ = false;
    return std::exchange(at_, {});
  }

 private:
  void begin(std::size_t variable) {
    begun_ = true;
    chosen_.clear();
    auto const& info = request_.ensemble.summary->variables[variable];
    auto const size = info.levels * info.points;
    if (size < 2) return;
    constexpr std::int64_t values_held = std::int64_t{1} << 21;
    auto const times = std::int64_t(request_.ensemble.summary->times.size()) + 1;
    auto const fit = std::max<std::int64_t>(values_held / (times * std::int64_t(runs_)), 50);
    chosen_ = chosen_points(size, std::min(most_, fit), request_.seed);
    weights_.clear();
    std::vector<double> slab;
    for (auto const point : chosen_) {
      auto const first = point / slab_size * slab_size;
      if (first != first_of_slab_ || slab.empty()) {
        slab.resize(std::size_t(std::min(slab_size, size - first)));
        request_.ensemble.fields->read_weights(variable, first, slab);
        first_of_slab_ = first;
      }
      weights_.push_back(slab[std::size_t(point - first)]);
    }
  }

  Request const& request_;
  std::int64_t most_, first_of_slab_ = 0;
  std::size_t runs_ = 0;
  bool begun_ = false;
  std::vector<std::int64_t> chosen_;
  std::vector<double> weights_;
  std::map<std::optional<std::size_t>, Sampled> at_;
};

Products products_of(Sampled const& sampled) {
  Products products(sampled.values.size());
  std::vector<double> column(sampled.values.size());
  for (std::size_t p = 0; p < sampled.weights.size(); ++p) {
    if (sampled.weights[p] == 0) continue;
    for (std::size_t run = 0; run < column.size(); ++run) column[run] = sampled.values[run][p];
    products.add(column, sampled.weights[p]);
  }
  return products;
}

/// Shares of points of other accepted runs, of the mean over time.
class ControlShares final : public PointMethod {
 public:
  ControlShares(Request const& request, Settings const& settings)
      : settings_{settings},
        members_{request.ensemble.summary->members.size()},
        samples_{request, settings.points},
        shares_(request.ensemble.summary->variables.size(), not_a_number) {}
  bool wants_points() const override { return true; }
  void look_at(PointBlock const& block) override { samples_.add(block); }
  void end_variable(std::size_t variable) override {
    auto samples = samples_.take();
    if (samples.empty()) return;
    Rejections const rejections(std::move(samples.begin()->second), members_, settings_.of_ranks,
                                settings_.alpha);
    if (rejections.empty()) return;
    std::vector<std::size_t> order(rejections.runs());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shares_[variable] = rejections.share(order);
  }
  Outcome outcome() override { return {}; }
  std::vector<double> const& shares() const { return shares_; }

 private:
  Settings const& settings_;
  std::size_t members_;
  Samples samples_;
  std::vector<double> shares_;
};

class FieldByField final : public PointMethod {
 public:
  explicit FieldByField(Task const& task)
      : task_{task},
        settings_{settings_of(task)},
        ensemble_{*task.request.ensemble.summary},
        n_{ensemble_.members.size()},
        m_{task.request.tests.summary->members.size()},
        samples_{task.request, settings_.points},
        labellings_{n_, m_, task.request.seed} {
    settings_.relabellings = labellings_.count(settings_.relabellings);
    for (auto& largest : largest_) largest.assign(std::size_t(settings_.relabellings) + 1, lowest);
  }
  bool wants_points() const override { return !refusal(); }
  void look_at(PointBlock const& block) override { samples_.add(block); }
  void end_variable(std::size_t variable) override;
  Outcome outcome() override;

 private:
  static constexpr double lowest = -std::numeric_limits<double>::infinity();
  static constexpr std::size_t share = Explained::kinds;  ///< family of shares

  std::optional<Outcome> refusal() const;
  template <class Statistic>
  void over_labellings(Statistic const& statistic) {
    statistic(std::size_t{0}, labellings_.given());
    for (std::int64_t draw = 0; draw < settings_.relabellings; ++draw)
      statistic(std::size_t(draw) + 1, labellings_(draw));
  }
  void widen(std::size_t family, std::vector<double> const& statistics) {
    for (std::size_t k = 0; k < statistics.size(); ++k)
      largest_[family][k] = std::max(largest_[family][k], statistics[k]);
  }

  Task const& task_;
  Settings settings_;
  EnsembleSummary const& ensemble_;
  std::size_t n_, m_;
  Samples samples_;
  Labellings labellings_;
  std::vector<OfVariable> found_;
  std::vector<Finding> left_out_;
  std::array<std::vector<double>, Explained::kinds + 1> largest_;  ///< [family][labelling], over variables
};

std::optional<Outcome> FieldByField::refusal() const {
  auto const& request = task_.request;
  if (request.ensemble.fields == nullptr || request.tests.fields == nullptr) {
    return not_applied(fieldwise_method,
                       "a summary file has no fields (name the folder of the files instead)");
  }
  constexpr std::size_t fewest = 3;
  if (n_ < fewest || m_ < fewest) {
    return without_power(
        fieldwise_method,
        fmt::format("{} members and {} new runs ({} of each are the least to test a point)", n_, m_, fewest),
        fewest, "members and new runs");
  }
  if (!can_relabel(n_, m_, task_.rate)) {
    auto const needed = members_to_relabel(m_, task_.rate);
    return without_power(fieldwise_method,
                         fmt::format("{} members and {} new runs can be labelled in too few ways for a rate "
                                     "of {:.2g} %: {} members are needed",
                                     n_, m_, 100 * task_.rate, needed),
                         needed, "members");
  }
  return std::nullopt;
}

void FieldByField::end_variable(std::size_t variable) {
  auto samples = samples_.take();
  if (samples.empty()) return;
  OfVariable of;
  of.name = ensemble_.variables[variable].name;
  of.variable = variable;
  of.explained.fill(lowest);
  auto const count = std::size_t(settings_.relabellings) + 1;
  double best = lowest;
  for (auto const& [time, sampled] : samples) {
    auto const products = products_of(sampled);
    if (products.empty()) continue;
    Explained const explained(products);
    std::array<std::vector<double>, Explained::kinds> statistics;
    for (auto& kind : statistics) kind.resize(count);
    over_labellings([&](std::size_t k, std::span<std::size_t const> order) {
      auto const values = explained(n_ < m_ ? order.first(n_) : order.last(m_));
      for (std::size_t kind = 0; kind < values.size(); ++kind) statistics[kind][k] = values[kind];
    });
    for (std::size_t kind = 0; kind < statistics.size(); ++kind) {
      to_scale(statistics[kind]);
      widen(kind, statistics[kind]);
      of.explained[kind] = std::max(of.explained[kind], statistics[kind][0]);
      if (statistics[kind][0] <= best) continue;
      best = statistics[kind][0];
      of.time = time ? ensemble_.time_text(*time) : std::string("all times in the mean");
    }
  }
  // The mean over time, or the only time.
  Rejections const rejections(std::move(samples.begin()->second), n_, settings_.of_ranks, settings_.alpha);
  if (rejections.empty()) {
    left_out_.push_back(
        {.subject = of.name, .note = "left out: the same in all runs, or not finite, everywhere"});
    return;
  }
  of.shares.resize(count);
  over_labellings(
      [&](std::size_t k, std::span<std::size_t const> order) { of.shares[k] = rejections.share(order); });
  auto scaled = of.shares;
  to_scale(scaled);
  widen(share, scaled);
  found_.push_back(std::move(of));
}

Outcome FieldByField::outcome() {
  if (auto const refused = refusal()) return *refused;
  if (found_.empty()) return not_applied(fieldwise_method, "no variable has points that vary");
  Outcome outcome;
  outcome.method = fieldwise_method;
  outcome.nominal_rate = task_.rate;
  outcome.findings = std::move(left_out_);
  auto const& control = task_.request.control;
  std::vector<double> of_controls(ensemble_.variables.size(), not_a_number);
  if (control.fields != nullptr && control.summary->members.size() >= 3) {
    auto request = task_.request;
    request.tests = control;
    ControlShares shares(request, settings_);
    PointMethod* const method = &shares;
    look_at_points(request, std::span(&method, 1));
    of_controls = shares.shares();
  }
  auto const relabelled = ranked({largest_.begin(), largest_.end()}, task_.rate);
  auto const test = settings_.of_ranks ? "mann-whitney" : "student";
  Line of_tests{"new runs", "test", {}, {}},
      of_control{fmt::format("{:g} % of relabelled runs", 100 * settings_.quantile), "limit", {}, {}};
  std::vector<std::string> names;
  OfVariable const* worst = nullptr;
  double least_p = 2;
  for (auto const& of : found_) {
    std::vector<double> sorted(of.shares.begin() + 1, of.shares.end());
    std::ranges::sort(sorted);
    auto scaled = of.shares;
    to_scale(scaled);
    Finding finding;
    finding.subject = of.name;
    finding.value = of.shares.front();
    finding.limit =
        sorted[std::min(sorted.size() - 1, std::size_t(settings_.quantile * double(sorted.size())))];
    auto const above = sorted.end() - std::ranges::lower_bound(sorted, of.shares.front() * (1 - 1e-12));
    finding.p = (1 + double(above)) / (1 + double(sorted.size()));
    auto p = relabelled.share_of(scaled.front(), share);
    for (std::size_t kind = 0; kind < of.explained.size(); ++kind)
      p = std::min(p, relabelled.share_of(of.explained[kind], kind));
    finding.adjusted_p = task_.adjusted(p);
    finding.rejected = p <= task_.rate;
    finding.note =
        fmt::format("share of points that reject; limit: {:g} % quantile of relabelled runs, as published",
                    100 * settings_.quantile);
    if (std::isfinite(of_controls[of.variable]))
      finding.note += fmt::format("; {:.3g} in control runs", of_controls[of.variable]);
    if (p < least_p) {
      least_p = p;
      worst = &of;
    }
    of_tests.x.push_back(double(names.size()));
    of_tests.y.push_back(of.shares.front());
    of_control.x.push_back(double(names.size()));
    of_control.y.push_back(*finding.limit);
    names.push_back(of.name);
    outcome.findings.push_back(std::move(finding));
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& f) { return f.adjusted_p.value_or(2); });
  auto const p = task_.adjusted(least_p);
  auto const of_worst = fmt::format("adjusted p = {:.2g} over {} variables, {} relabellings", p, names.size(),
                                    settings_.relabellings);
  auto const of_share =
      fmt::format("{} rejects {:.1f} % of the points of {}", test, 100 * worst->shares.front(), worst->name);
  auto const where = worst->name + (worst->time.empty() ? "" : " at " + worst->time);
  if (least_p <= task_.rate) {
    outcome.answer = Answer::different;
    outcome.statement = fmt::format("fields of {} differ: {} ({})", where, of_share, of_worst);
  } else if (p <= settings_.doubt) {
    outcome.answer = Answer::undecided;
    // With so many more runs a difference of this size would probably be beyond the rate.
    constexpr double deviate_of_power = 0.8416;  // of 80 %
    auto const deviate = [](double one_sided) { return two_sided_deviate(2 * one_sided); };
    auto const more = std::pow((deviate(task_.rate) + deviate_of_power) / deviate(std::min(least_p, 0.4)), 2);
    outcome.members_needed = std::int64_t(std::ceil(more * double(std::max(n_, m_))));
    outcome.needed_of = "members and as many new runs";
    outcome.statement = fmt::format(
        "fields of {} may differ: {} ({}), more than chance often makes, too little to be called a "
        "difference; {} {} would decide",
        where, of_share, of_worst, *outcome.members_needed, outcome.needed_of);
  } else {
    outcome.answer = Answer::consistent;
    outcome.statement = fmt::format(
        "new runs are no farther from the ensemble than relabelled runs are: {} ({})", of_share, of_worst);
  }
  outcome.figures.push_back({"fieldwise_shares",
                             "Share of points that reject",
                             "",
                             "share",
                             "linear",
                             "linear",
                             names,
                             {std::move(of_tests), std::move(of_control)}});
  outcome.parameters = task_.parameters.used();
  return outcome;
}

}  // namespace

std::unique_ptr<PointMethod> field_by_field(Task const& task) { return std::make_unique<FieldByField>(task); }

}  // namespace ulpine::verification::consistency
