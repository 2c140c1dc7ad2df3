// SPDX-License-Identifier: Apache-2.0
#include "verification/files/record_files.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "io/error.hpp"

namespace ulpine::verification {

RecordFiles::RecordFiles(std::vector<std::filesystem::path> paths, std::string const& variable)
    : paths_{std::move(paths)} {
  if (paths_.empty()) throw InputError{"no file (there is nothing to detect features in) name one"};
  for (std::size_t number = 0; number < paths_.size(); ++number) {
    auto const& file = open(number);
    auto const axis = file.time_axis(variable);
    auto const times = file.times(variable);
    auto const known = axis.exists && axis.unit > 0;
    // Of several files only dates tell how far they are apart.
    auto const first = paths_.size() > 1 ? file.first_time(variable) : 0;
    firsts_.push_back(count());
    if (!axis.exists) seconds_.push_back(std::numeric_limits<double>::quiet_NaN());
    for (auto const time : times) {
      seconds_.push_back(known ? first + time : std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (seconds_.empty()) {
    throw InputError{paths_.front().string() + ": " + variable +
                     " has no times (there is nothing to detect features in) name another file"};
  }
  auto const first = seconds_.front();
  for (auto& time : seconds_) time -= first;
}

bool RecordFiles::in_order() const {
  return std::ranges::all_of(seconds_, [](double time) { return std::isfinite(time); }) &&
         std::ranges::adjacent_find(seconds_, std::greater_equal<>{}) == seconds_.end();
}

RecordFiles::Place RecordFiles::at(std::int64_t record) {
  auto const next = std::ranges::upper_bound(firsts_, record);
  auto const number = static_cast<std::size_t>(next - firsts_.begin()) - 1;
  return {open(number), number, record - firsts_[number]};
}

io::InputFile const& RecordFiles::open(std::size_t number) {
  auto const found = std::ranges::find(open_, number, [](auto const& entry) { return entry.first; });
  if (found != open_.end()) {
    std::rotate(open_.begin(), found, found + 1);
  } else {
    if (open_.size() == 2) open_.pop_back();
    open_.emplace(open_.begin(), number, std::make_unique<io::InputFile>(paths_[number]));
  }
  return *open_.front().second;
}

}  // namespace ulpine::verification
