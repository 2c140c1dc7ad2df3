// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "io/error.hpp"
#include "precision/formats.hpp"
#include "verification/consistency/last_bits.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {

Parameters::Parameters(std::string method, std::vector<std::pair<std::string, std::string>> const& given)
    : method_{std::move(method)} {
  auto const prefix = method_ + ".";
  for (auto const& [key, value] : given) {
    if (key.starts_with(prefix)) given_[key.substr(prefix.size())] = value;
  }
}

double Parameters::number(std::string const& key, double fallback, double least, double most) {
  auto value = fallback;
  if (auto const found = given_.find(key); found != given_.end()) {
    auto const& text = found->second;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
      throw InputError(
          fmt::format("--parameter {}.{}={}: is no number from {} to {} (that is what it takes) give one",
                      method_, key, text, least, most));
    }
  }
  used_.emplace_back(key, fmt::format("{}", value));
  return value;
}

std::int64_t Parameters::integer(std::string const& key, std::int64_t fallback, std::int64_t least,
                                 std::int64_t most) {
  auto const value = number(key, double(fallback), double(least), double(most));
  if (value != std::floor(value)) {
    throw InputError(
        fmt::format("--parameter {}.{}={}: is no whole number (it counts) give one", method_, key, value));
  }
  return std::int64_t(value);
}

std::string Parameters::choice(std::string const& key, std::vector<std::string> const& choices) {
  auto value = choices.front();
  if (auto const found = given_.find(key); found != given_.end()) {
    value = found->second;
    if (std::ranges::find(choices, value) == choices.end()) {
      throw InputError(fmt::format("--parameter {}.{}={}: no such choice{}", method_, key, value,
                                   choices_hint(value, choices)));
    }
  }
  used_.emplace_back(key, value);
  return value;
}

void Parameters::reject_unknown() const {
  std::vector<std::string> known;
  for (auto const& [key, value] : used_) known.push_back(key);
  for (auto const& [key, value] : given_) {
    if (std::ranges::find(known, key) == known.end()) {
      throw InputError(
          fmt::format("--parameter {}.{}: no such parameter{}", method_, key, choices_hint(key, known)));
    }
  }
}

std::vector<double> Table::column(std::size_t index) const {
  std::vector<double> values;
  for (auto const& row : rows) values.push_back(row[index]);
  return values;
}

std::vector<std::size_t> judged_times(Request const& request, std::size_t variable) {
  auto const& ensemble = *request.ensemble.summary;
  std::vector<std::size_t> times;
  for (std::size_t t = 0; t < ensemble.times.size(); ++t) {
    // New runs that leave members which agree to the last bit are the business of other methods.
    if (ensemble.times.size() == 1 || !differ_by_last_bits(ensemble, variable, t)) times.push_back(t);
  }
  return times;
}

namespace {

/// Adds the means of single times, or of several together, to the tables.
class MeansTable {
 public:
  MeansTable(Request const& request, std::vector<std::string>& left_out)
      : request_{request}, left_out_{left_out} {
    means_.ensemble.rows.resize(request.ensemble.summary->members.size());
    means_.tests.rows.resize(request.tests.summary->members.size());
  }
  /// Of a variable, `when` behind its name; of its levels where they are asked for. Columns of a time that do
  /// not vary are no news.
  void add(std::size_t variable, std::span<std::size_t const> times, std::string const& when, bool of_time) {
    auto const& info = request_.ensemble.summary->variables[variable];
    auto const over = [&](auto const& mean_of) {
      return [&times, mean_of](RunSummary const& run) {
        double sum = 0;
        for (auto const time : times) sum += mean_of(run, time);
        return times.size() == 1 ? sum : sum / double(times.size());
      };
    };
    if (!request_.by_level || info.levels == 1) {
      add_column(info.name + when, of_time, over([variable](RunSummary const& run, std::size_t time) {
                   return run.variables[variable][time].mean;
                 }));
      return;
    }
    for (std::size_t k = 0; k < std::size_t(info.levels); ++k) {
      add_column(fmt::format("{} level {}{}", info.name, k, when), of_time,
                 over([variable, k](RunSummary const& run, std::size_t time) {
                   return run.variables[variable][time].levels[k].mean;
                 }));
    }
  }
  Means take() { return std::move(means_); }

 private:
  template <class MeanOf>
  void add_column(std::string const& name, bool of_time, MeanOf const& mean_of) {
    std::vector<double> accepted, tested;
    for (auto const& run : request_.ensemble.summary->members) accepted.push_back(mean_of(run));
    for (auto const& run : request_.tests.summary->members) tested.push_back(mean_of(run));
    auto all = accepted;
    all.insert(all.end(), tested.begin(), tested.end());
    if (!std::ranges::all_of(all, [](double x) { return std::isfinite(x); })) {
      left_out_.push_back(name + ": its mean is not finite in some run");
      return;
    }
    if (std::ranges::all_of(all, [&](double x) { return x == all.front(); })) {
      if (!of_time) left_out_.push_back(name + ": the same in all runs");
      return;
    }
    if (of_time) means_.of_times.push_back(means_.ensemble.columns());
    means_.ensemble.names.push_back(name);
    means_.tests.names.push_back(name);
    for (std::size_t i = 0; i < accepted.size(); ++i) means_.ensemble.rows[i].push_back(accepted[i]);
    for (std::size_t i = 0; i < tested.size(); ++i) means_.tests.rows[i].push_back(tested[i]);
  }

  Request const& request_;
  std::vector<std::string>& left_out_;
  Means means_;
};

}  // namespace

Means Means::over_time() const {
  Means means;
  for (std::size_t column = 0; column < ensemble.columns(); ++column) {
    if (std::ranges::binary_search(of_times, column)) continue;
    for (auto [from, to] : {std::pair(&ensemble, &means.ensemble), std::pair(&tests, &means.tests)}) {
      to->names.push_back(from->names[column]);
      to->rows.resize(from->rows.size());
      for (std::size_t i = 0; i < from->rows.size(); ++i) to->rows[i].push_back(from->rows[i][column]);
    }
  }
  return means;
}

Means means_of(Request const& request, std::vector<std::string>& left_out) {
  MeansTable table(request, left_out);
  auto const& ensemble = *request.ensemble.summary;
  std::vector<std::size_t> times(ensemble.times.size());
  std::iota(times.begin(), times.end(), std::size_t{0});
  auto const chosen = request.mean_alone ? std::span(times) : std::span(times).last(1);
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) table.add(v, chosen, "", false);
  return table.take();
}

Means means_of_times(Request const& request, std::vector<std::string>& left_out) {
  MeansTable table(request, left_out);
  auto const& ensemble = *request.ensemble.summary;
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    auto const times = judged_times(request, v);
    if (times.empty()) {
      left_out.push_back(ensemble.variables[v].name + ": the same in all runs but for the last bits");
      continue;
    }
    auto const single = times.size() == 1;
    table.add(v, times, single ? "" : ", mean over time", false);
    if (single || request.mean_alone) continue;
    for (auto const& time : times)
      table.add(v, std::span(&time, 1), ", at " + ensemble.time_text(time), true);
  }
  return table.take();
}

Outcome not_applied(char const* method, std::string why) {
  Outcome outcome;
  outcome.method = method;
  outcome.answer = Answer::not_applied;
  outcome.statement = std::move(why);
  return outcome;
}

Outcome without_power(char const* method, std::string why, std::int64_t needed, std::string of) {
  Outcome outcome;
  outcome.method = method;
  outcome.answer = Answer::no_power;
  outcome.statement = std::move(why);
  outcome.members_needed = needed;
  outcome.needed_of = std::move(of);
  return outcome;
}

Draws::Draws(std::uint64_t seed, std::uint64_t draw)
    : key_{static_cast<std::uint32_t>(seed ^ (seed >> 32)) * 0x9e3779b9u + 0x7f4a7c15u}, draw_{draw} {}

std::uint64_t Draws::bits() { return philox_2x32(draw_ << 24 ^ taken_++, key_); }

std::size_t Draws::below(std::size_t limit) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{bits()} * limit >> 64);
}

double Draws::uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }

double Draws::normal() {
  auto const radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

void draw_last(std::span<std::size_t> order, std::size_t count, Draws& draws) {
  for (auto i = order.size(); i > order.size() - count; --i) std::swap(order[i - 1], order[draws.below(i)]);
}

namespace {

// Sums in another order: what is as large but for rounding is as large.
double but_for_rounding(double value) { return value - 1e-10 * std::abs(value); }

}  // namespace

Relabelled ranked(std::vector<std::vector<double>> const& statistics, double rate) {
  Relabelled result;
  auto const all = statistics.front().size();
  result.count = std::int64_t(all) - 1;
  std::vector<double> largest(all, -std::numeric_limits<double>::infinity());
  for (auto const& family : statistics) {
    double scale = 1;
    if (statistics.size() > 1) {
      // The observed statistic is one of them: the scale is the same whichever labelling is the true one.
      auto sorted = family;
      auto const above = std::max<std::size_t>(1, std::size_t(rate / 2 * double(all)));
      std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(above - 1), std::greater<>());
      if (sorted[above - 1] > 0) scale = sorted[above - 1];
    }
    result.scales.push_back(scale);
    for (std::size_t k = 0; k < all; ++k) largest[k] = std::max(largest[k], family[k] / scale);
  }
  auto const observed = largest.front();
  result.largest.assign(largest.begin() + 1, largest.end());
  std::ranges::sort(result.largest);
  // With few relabellings the largest of them has to stand for a limit that lies beyond them.
  auto const allowed = std::clamp<std::size_t>(std::size_t(rate * double(all)), 1, result.largest.size());
  result.limit = result.largest[result.largest.size() - allowed];
  auto const above =
      result.largest.end() - std::ranges::lower_bound(result.largest, but_for_rounding(observed));
  result.p = (1 + double(above)) / double(all);
  return result;
}

double Relabelled::share_of(double value, std::size_t family) const {
  auto const above =
      largest.end() - std::ranges::lower_bound(largest, but_for_rounding(value / scales[family]));
  return (1 + double(above)) / (1 + double(largest.size()));
}

namespace {

/// C(n, k), infinite beyond the range of exact numbers.
double choices(std::size_t n, std::size_t k) {
  double ways = 1;
  for (std::size_t i = 0; i < k && ways < 1e15; ++i) ways = ways * double(n - i) / double(i + 1);
  return ways < 1e15 ? std::round(ways) : std::numeric_limits<double>::infinity();
}

}  // namespace

Labellings::Labellings(std::size_t n, std::size_t m, std::uint64_t seed) : n_{n}, m_{m}, seed_{seed} {
  constexpr double few = 1e5;
  auto const ways = choices(n + m, std::min(n, m));
  if (!(ways >= 2 && ways <= few)) return;
  ways_.resize(std::size_t(ways) - 1);
  std::iota(ways_.begin(), ways_.end(), std::uint32_t{1});
  Draws draws(seed, ways_.size());
  for (auto i = ways_.size(); i > 1; --i) std::swap(ways_[i - 1], ways_[draws.below(i)]);
}

std::vector<std::size_t> Labellings::given() const {
  std::vector<std::size_t> order(n_ + m_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::span<std::size_t const> Labellings::operator()(std::int64_t number) {
  constexpr std::size_t most_kept = 1000;
  auto const index = std::size_t(number);
  if (index < kept_.size()) return kept_[index];
  order_ = given();
  if (ways_.empty()) {
    Draws draws(seed_, std::uint64_t(number));
    draw_last(order_, m_, draws);
  } else {
    // The number of the way in the combinatorial number system: a sum of C(place, k), places counted from the
    // last run on, so that number 0 is the true one.
    double left = ways_.at(index);
    auto place = n_ + m_;
    std::vector<std::size_t> fresh;
    for (auto k = m_; k > 0; --k) {
      while (choices(place, k) > left) --place;
      left -= choices(place, k);
      fresh.push_back(n_ + m_ - 1 - place);
    }
    std::ranges::stable_partition(
        order_, [&](std::size_t run) { return std::ranges::find(fresh, run) == fresh.end(); });
  }
  if (index == kept_.size() && index < most_kept) kept_.push_back(order_);
  return order_;
}

Relabelled relabel(Labellings& labellings, double rate, std::size_t families, Statistics const& statistics) {
  std::vector<std::vector<double>> all(families);
  std::vector<double> largest(families);
  auto const add = [&](std::span<std::size_t const> order) {
    statistics(order, largest);
    for (std::size_t family = 0; family < families; ++family) all[family].push_back(largest[family]);
  };
  add(labellings.given());
  auto const most = labellings.count(std::int64_t(std::ceil(40 / rate))),
             sure = std::int64_t(std::ceil(10 / rate));
  constexpr double plain = 0.2;
  std::int64_t count = 0;
  for (auto next = std::min<std::int64_t>(most, 1000);; next = std::min(most, 2 * next)) {
    while (count < next) add(labellings(count++));
    auto result = ranked(all, rate);
    if (count == most || result.p >= plain || (count >= sure && result.p <= rate / 5)) return result;
  }
}

Relabelled relabel(Labellings& labellings, double rate,
                   std::function<double(std::span<std::size_t const> order)> const& statistic) {
  return relabel(labellings, rate, 1, [&](std::span<std::size_t const> order, std::span<double> largest) {
    largest.front() = statistic(order);
  });
}

bool can_relabel(std::size_t n, std::size_t m, double rate) {
  auto const ways = std::lgamma(double(n + m) + 1) - std::lgamma(double(n) + 1) - std::lgamma(double(m) + 1);
  return ways + std::log(rate) >= 0;
}

std::int64_t members_to_relabel(std::size_t m, double rate) {
  std::size_t n = 1;
  while (!can_relabel(n, m, rate)) n += std::max<std::size_t>(1, n / 50);
  return std::int64_t(n);
}

double deviate_of_t(double t, double freedom) {
  auto const factor = (8 * freedom + 1) / (8 * freedom + 3);
  return std::copysign(factor * std::sqrt(freedom * std::log1p(t * t / freedom)), t);
}

double deviate_of_ratio(double ratio, double freedom_above, double freedom_below) {
  auto const a = 2 / (9 * freedom_above), b = 2 / (9 * freedom_below);
  auto const root = std::cbrt(ratio);
  return ((1 - b) * root - (1 - a)) / std::sqrt(b * root * root + a);
}

double deviate_of_squares(double first, double freedom_first, double second, double freedom_second) {
  constexpr double least = 1e-12;  // of the other: the deviate is then as large as it gets
  if (first <= 0 && second <= 0) return 0;
  auto const a = std::max(first, least * second) / freedom_first,
             b = std::max(second, least * first) / freedom_second;
  return deviate_of_ratio(b / a, freedom_second, freedom_first);
}

double two_sided_deviate(double share) { return distributions::normal_quantile_above(share / 2); }

double student_quantile(double share, double freedom) {
  return distributions::student_t_quantile(share, freedom);
}

std::vector<double> standardised(std::vector<double> values) {
  auto const [mean, sd, n] = moments(values);
  for (auto& value : values) value = (value - mean) / (sd > 0 ? sd : 1);
  return values;
}

std::vector<double> normal_scores(std::span<double const> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> scores(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double sum = 0;
    for (end = begin; end < order.size() && values[order[end]] == values[order[begin]]; ++end)
      sum += distributions::normal_quantile(double(end + 1) / double(order.size() + 1));
    for (auto i = begin; i < end; ++i) scores[order[i]] = sum / double(end - begin);
  }
  return scores;
}

Eigen eigen_of_symmetric(std::vector<double> matrix, std::size_t n) {
  std::vector<double> vectors(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  constexpr int most_sweeps = 60;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off = 0, on = 0;
    for (std::size_t i = 0; i < n; ++i) {
      on += matrix[i * n + i] * matrix[i * n + i];
      for (std::size_t j = 0; j < i; ++j) off += matrix[i * n + j] * matrix[i * n + j];
    }
    if (off <= 1e-32 * on) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (auto q = p + 1; q < n; ++q) {
        auto const between = matrix[p * n + q];
        if (between == 0) continue;
        // The rotation that makes this element zero (Golub and Van Loan, algorithm 8.5.1).
        auto const tau = (matrix[q * n + q] - matrix[p * n + p]) / (2 * between);
        auto const t = std::copysign(1 / (std::abs(tau) + std::sqrt(1 + tau * tau)), tau);
        auto const c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          auto const kp = matrix[k * n + p], kq = matrix[k * n + q];
          matrix[k * n + p] = c * kp - s * kq;
          matrix[k * n + q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          auto const pk = matrix[p * n + k], qk = matrix[q * n + k];
          matrix[p * n + k] = c * pk - s * qk;
          matrix[q * n + k] = s * pk + c * qk;
        }
        for (std::size_t k = 0; k < n; ++k) {
          auto const kp = vectors[k * n + p], kq = vectors[k * n + q];
          vectors[k * n + p] = c * kp - s * kq;
          vectors[k * n + q] = s * kp + c * kq;
        }
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return matrix[i * n + i]; });
  Eigen eigen;
  for (auto const i : order) {
    eigen.values.push_back(matrix[i * n + i]);
    std::vector<double> vector(n);
    for (std::size_t k = 0; k < n; ++k) vector[k] = vectors[k * n + i];
    auto const largest = std::ranges::max_element(vector, {}, [](double x) { return std::abs(x); });
    if (*largest < 0) {
      for (auto& part : vector) part = -part;
    }
    eigen.vectors.push_back(std::move(vector));
  }
  return eigen;
}

std::vector<double> inverse_of_definite(std::vector<double> matrix, std::size_t n) {
  // L of L L^T in the lower triangle.
  for (std::size_t j = 0; j < n; ++j) {
    auto const whole = matrix[j * n + j];
    auto pivot = whole;
    for (std::size_t k = 0; k < j; ++k) pivot -= matrix[j * n + k] * matrix[j * n + k];
    if (!(pivot > 1e-12 * whole)) return {};
    matrix[j * n + j] = std::sqrt(pivot);
    for (auto i = j + 1; i < n; ++i) {
      auto value = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) value -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = value / matrix[j * n + j];
    }
  }
  // The inverse of L, then its square.
  std::vector<double> lower(n * n, 0), inverse(n * n, 0);
  for (std::size_t j = 0; j < n; ++j) {
    lower[j * n + j] = 1 / matrix[j * n + j];
    for (auto i = j + 1; i < n; ++i) {
      double value = 0;
      for (auto k = j; k < i; ++k) value -= matrix[i * n + k] * lower[k * n + j];
      lower[i * n + j] = value / matrix[i * n + i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = 0;
      for (auto k = i; k < n; ++k) value += lower[k * n + i] * lower[k * n + j];
      inverse[i * n + j] = inverse[j * n + i] = value;
    }
  }
  return inverse;
}

}  // namespace ulpine::verification::consistency
