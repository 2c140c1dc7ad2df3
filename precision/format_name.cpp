// SPDX-License-Identifier: Apache-2.0
#include "precision/format_name.hpp"

#include <charconv>
#include <string_view>
#include <type_traits>

#include "precision/policy.hpp"

namespace ulpine {
namespace {

/// Takes a decimal number off the front.
template <class Number>
std::optional<Number> take_number(std::string_view& rest) {
  Number value = 0;
  auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) return {};
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

bool take(std::string_view& rest, std::string_view word) {
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<NamedFormat> parse_format(std::string const& name) {
  std::string_view rest = name;
  if (!take(rest, "e")) return {};
  auto const exponent = take_number<int>(rest);
  if (!exponent || *exponent < 2 || *exponent > 11 || !take(rest, "m")) return {};
  auto const fraction = take_number<int>(rest);
  if (!fraction || *fraction < 1 || *fraction > 52) return {};
  auto const emax = (1 << (*exponent - 1)) - 1;
  NamedFormat named{{.precision = *fraction + 1, .emin = 1 - emax, .emax = emax}};
  if (take(rest, "-rz")) {
    named.format.rounding = Rounding::toward_zero;
  } else if (auto const by_distance = take(rest, "-sr"); by_distance || take(rest, "-rr")) {
    named.format.rounding = Rounding::stochastic;
    named.even_odds = !by_distance;
    if (!rest.empty()) {
      auto const seed = take_number<std::uint32_t>(rest);
      if (!seed) return {};
      named.seed = *seed;
    }
  }
  if (!rest.empty()) return {};
  return named;
}

std::optional<NamedFormat> format_of_policy(std::string const& name) {
  auto const found = with_policy(DevicePolicies{}, name, []<class P>() {
    auto named = parse_format(std::is_same_v<typename P::Compute, double> ? "e11m52" : "e8m23");
    if constexpr (!std::is_same_v<typename P::Multiplicand, Exact>) {
      named->multiplicand = P::Multiplicand::format;
    }
    return named;
  });
  if (found) return found;
  return parse_format(name);
}

}  // namespace ulpine
