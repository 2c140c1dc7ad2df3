// SPDX-License-Identifier: Apache-2.0
#include "io/case_quantity.hpp"

namespace ulpine::io {
namespace {

void require_within(CaseFile const& case_file, std::string const& key, char const* unit, double value,
                    double least, double most) {
  if (value >= least && value <= most) return;
  throw case_file.error(key, "out of range (it is " + number_text(value) + " " + unit + ") choose between " +
                                 number_text(least) + " and " + number_text(most) + " " + unit);
}

}  // namespace

double quantity(CaseFile const& case_file, std::string const& key, char const* unit, double fallback,
                double least, double most) {
  auto const value = case_file.number(key, fallback);
  require_within(case_file, key, unit, value, least, most);
  return value;
}

std::vector<double> quantities(CaseFile const& case_file, std::string const& key, char const* unit,
                               std::vector<double> const& fallback, double least, double most,
                               std::size_t fewest, std::size_t most_elements) {
  constexpr auto any = std::numeric_limits<double>::infinity();
  auto values = case_file.numbers(key, fallback, -any, any, fewest, most_elements);
  for (std::size_t n = 0; n < values.size(); ++n) {
    require_within(case_file, key + "[" + std::to_string(n) + "]", unit, values[n], least, most);
  }
  return values;
}

}  // namespace ulpine::io
