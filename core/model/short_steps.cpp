// SPDX-License-Identifier: Apache-2.0
#include "core/model/short_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/model/not_solved.hpp"
#include "io/case_file.hpp"
#include "io/slabs.hpp"

namespace ulpine {
namespace {

/// "u (3, 4, 5) = 499 m s-1": the largest velocity of the state by magnitude; on rank 0.
std::string fastest(FieldTable const& fields) {
  Field const* where = nullptr;
  double most = 0;
  std::int64_t place = 0;
  std::vector<double> values;
  for (auto const* field : fields.state()) {
    if (field->description().units != "m s-1") continue;
    auto const all = field->layout().global_count();
    for (std::int64_t first = 0; first < all; first += io::slab_bytes / 8) {
      values.resize(static_cast<std::size_t>(std::min<std::int64_t>(io::slab_bytes / 8, all - first)));
      fields.read(field->name(), first, static_cast<std::int64_t>(values.size()), ValueType::float64,
                  values.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == missing_value || !(std::abs(values[i]) > std::abs(most))) continue;
        where = field;
        most = values[i];
        place = first + static_cast<std::int64_t>(i);
      }
    }
  }
  if (where == nullptr) return "nothing moves";
  return "the fastest is " + where->name() + " " + where->place(place) + " = " + io::number_text(most) +
         " m s-1";
}

}  // namespace

void ShortSteps::look_at(FieldTable const& fields, std::int64_t step, double begin, double end,
                         double latest) {
  auto const length = end - begin;
  auto const cut = end >= latest;  // what is left may be as short as it likes
  auto const left = std::isfinite(latest) ? latest - begin : 0;
  auto const too_short = !cut && length < std::max(1e-9 * longest_, 1e-10 * left);
  in_a_row_ = too_short ? in_a_row_ + 1 : 0;
  auto const shorter = !cut && length < shortest_ / 2, none = !(length > 0), endless = none || in_a_row_ > 1;
  if (!cut && (shortest_ == 0 || length < shortest_)) shortest_ = length;
  longest_ = std::max(longest_, length);
  if (!endless && !shorter) return;
  auto why = fields.invalid_value();
  if (why.empty() && !endless) return;
  if (why.empty()) why = fastest(fields);
  auto const number = "step " + std::to_string(step);
  auto const at = io::number_text(begin) + " s: " + why;
  if (none) {
    throw InputError(number + " took no time (it begins and ends at " + at +
                     ") choose a smaller step, or another start");
  }
  throw NotSolved(number + " is " + io::number_text(length) + " s long (it begins at " + at +
                  ") give the case smaller speeds and viscosities, a coarser grid, or a time.step");
}

}  // namespace ulpine
