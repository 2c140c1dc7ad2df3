// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/time_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/error.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* how = "name all, last, mean, numbers, dates, or A..B of these";

std::optional<std::int64_t> whole_number(std::string const& text) {
  std::int64_t number = 0;
  auto const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// One end of a range: the first and the last time that it names.
std::pair<std::size_t, std::size_t> ends_of(std::string const& word, std::vector<std::string> const& times) {
  if (word == "last") return {times.size() - 1, times.size() - 1};
  // A year by itself is a number too: it is one where there are so many times.
  if (auto const number = whole_number(word); number) {
    auto const count = std::int64_t(times.size());
    auto const index = *number < 0 ? *number + count : *number;
    if (index >= 0 && index < count) return {std::size_t(index), std::size_t(index)};
  }
  auto const is_named = [&](std::string const& time) { return time.starts_with(word); };
  auto const first = std::ranges::find_if(times, is_named);
  if (first == times.end()) {
    throw InputError("--times " + word + ": no such time (all runs have " + std::to_string(times.size()) +
                     (times.front().empty() ? "" : ", from " + times.front() + " to " + times.back()) + ") " +
                     how);
  }
  auto last = first;
  for (auto time = first; time != times.end(); ++time) {
    if (is_named(*time)) last = time;
  }
  return {std::size_t(first - times.begin()), std::size_t(last - times.begin())};
}

}  // namespace

TimeChoice::TimeChoice(std::string const& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    auto const item = text.substr(begin, end - begin);
    begin = end + 1;
    if (item.empty() || item.starts_with("..") || item.ends_with(".."))
      throw InputError("--times " + text + ": an item is empty (each names times) " + how);
    if (item == "mean")
      mean_alone_ = true;
    else
      items_.push_back(item);
  }
  if (std::ranges::find(items_, "all") != items_.end()) items_.clear();
}

std::vector<std::size_t> TimeChoice::of(std::vector<std::string> const& times) const {
  std::vector<bool> chosen(times.size(), items_.empty());
  for (auto const& item : items_) {
    auto const dots = item.find("..");
    auto const first = ends_of(item.substr(0, dots), times);
    auto const last = dots == std::string::npos ? first : ends_of(item.substr(dots + 2), times);
    if (last.second < first.first)
      throw InputError("--times " + item + ": ends before it begins (no time is in it) " + how);
    std::fill(chosen.begin() + std::ptrdiff_t(first.first), chosen.begin() + std::ptrdiff_t(last.second) + 1,
              true);
  }
  std::vector<std::size_t> numbers;
  for (std::size_t t = 0; t < times.size(); ++t) {
    if (chosen[t]) numbers.push_back(t);
  }
  return numbers;
}

void keep_times(CommonGrid& grid, std::vector<std::size_t> const& times) {
  if (grid.instants.empty()) return;
  std::vector<double> instants;
  for (auto const time : times) instants.push_back(grid.instants[time]);
  grid.times.clear();
  for (auto const instant : instants) grid.times.push_back(instant - instants.front());
  grid.instants = std::move(instants);
}

void keep_times(EnsembleSummary& summary, std::vector<std::size_t> const& times) {
  auto const keep = [&](RunSummary& run) {
    for (auto& variable : run.variables) {
      std::vector<VariableSummary> kept;
      for (auto const time : times) kept.push_back(std::move(variable[time]));
      variable = std::move(kept);
    }
  };
  for (auto& run : summary.members) keep(run);
  if (summary.unperturbed) keep(*summary.unperturbed);
  auto const first = summary.times[times.front()];
  std::vector<double> kept;
  for (auto const time : times) kept.push_back(summary.times[time] - first);
  summary.times = std::move(kept);
  summary.scale.first += first;
}

std::vector<std::string> time_texts(CommonGrid const& grid) {
  EnsembleSummary summary;
  summary.times = grid.times;
  summary.scale = scale_of(grid.axis);
  if (!grid.instants.empty()) summary.scale.first = grid.instants.front();
  std::vector<std::string> texts;
  for (std::size_t t = 0; t < grid.times.size(); ++t) texts.push_back(summary.time_text(t));
  return texts;
}

}  // namespace ulpine::verification::consistency
