// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/cost_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <numeric>
#include <utility>

#include "io/error.hpp"
#include "precision/format_name.hpp"

namespace ulpine::ensembles::search {
namespace {

/// The values divided by their sum.
std::vector<double> shares_of(std::vector<double> values) {
  auto const sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (auto& value : values) value /= sum;
  return values;
}

}  // namespace

std::optional<int> storage_bits(std::string const& precision) {
  if (precision == "fp64") return 64;
  if (precision == "fp32") return 32;
  auto const named = parse_format(precision);
  if (!named) return {};
  // Exponents of emin = 2 - 2^(X-1) have X bits; of the precision one bit is implied, one is the sign's.
  auto const& format = named->format;
  auto const exponent = std::bit_width(static_cast<unsigned>(format.emax)) + 1;
  auto const bits = static_cast<unsigned>(exponent) + static_cast<unsigned>(format.precision);
  return static_cast<int>(std::max(8u, std::bit_ceil(bits)));
}

CostModel::CostModel(std::vector<StageWork> stages, std::vector<std::string> precisions)
    : stages_{std::move(stages)}, precisions_{std::move(precisions)} {
  std::vector<double> bytes;
  for (auto const& stage : stages_) bytes.push_back(double(stage.launches) * stage.bytes);
  shares_ = shares_of(std::move(bytes));
}

void CostModel::count_policy(std::string const& policy, std::map<std::string, double> const& bytes) {
  auto& widths = counted_[policy];
  widths.clear();
  for (auto const& stage : stages_) {
    auto const found = bytes.find(stage.name);
    widths.push_back(found == bytes.end() || stage.bytes == 0 ? 1 : found->second / stage.bytes);
  }
}

void CostModel::measure(std::string const& precision, std::map<std::string, double> const& seconds,
                        std::string const& source) {
  std::vector<double> values;
  for (auto const& stage : stages_) {
    auto const found = seconds.find(stage.name);
    if (found == seconds.end() || !(found->second > 0)) {
      throw InputError(fmt::format(
          "{}: has no seconds of stage {} (it was not launched, or within another one) give the run.json of "
          "a run of this case with --trace, which launches every stage by itself",
          source, stage.name));
    }
    values.push_back(found->second);
  }
  if (precision == "fp64") {
    shares_ = shares_of(values);
  } else if (!measured_.contains("fp64")) {
    throw InputError(fmt::format(
        "--costs {}={} has nothing to be held against (seconds in fp64 are missing) give fp64=run.json first",
        precision, source));
  } else {
    auto const& base = measured_.at("fp64");
    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= base[i];
  }
  measured_[precision] = std::move(values);
}

void CostModel::predict(std::string const& precision, std::map<std::string, double> const& seconds,
                        std::string const& card) {
  measure(precision, seconds, card);
  card_ = card;
}

double CostModel::width(std::size_t stage, std::string const& precision) const {
  if (precision == "fp64") return 1;
  if (auto const found = measured_.find(precision); found != measured_.end()) return found->second[stage];
  if (auto const bits = storage_bits(precision)) return *bits / 64.0;
  return counted_.at(precision)[stage];
}

double CostModel::cost(std::span<std::string const> precision_of_stage) const {
  double sum = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) sum += shares_[i] * width(i, precision_of_stage[i]);
  return sum;
}

double CostModel::cost(Assignment const& assignment) const {
  std::vector<std::string> precision_of_stage;
  for (auto const precision : assignment) {
    precision_of_stage.push_back(precision == 0 ? "fp64" : precisions_[std::size_t(precision - 1)]);
  }
  return cost(precision_of_stage);
}

double CostModel::whole(std::string const& policy) const {
  return cost(std::vector<std::string>(stages_.size(), policy));
}

std::string CostModel::words() const {
  if (measured()) {
    std::vector<std::string> names;
    for (auto const& [precision, values] : measured_) names.push_back(precision);
    if (!card_.empty()) {
      return fmt::format(
          "predicted seconds of stages in {} on {}; of other precisions those in fp64 times the width of "
          "storage",
          fmt::join(names, ", "), card_);
    }
    return fmt::format(
        "measured seconds of stages in {}; of other precisions those in fp64 times the width of storage",
        fmt::join(names, ", "));
  }
  return "bytes that stages move, counted in fp64, times the width in which each precision is stored; "
         "conversions between stages are not counted";
}

}  // namespace ulpine::ensembles::search
