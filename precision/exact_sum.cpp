// SPDX-License-Identifier: Apache-2.0
#include "precision/exact_sum.hpp"

#include <algorithm>
#include <cmath>

#include "precision/sum_words.hpp"

namespace ulpine {

void ExactSum::add_product(double a, double b) {
  double const product = a * b;
  add(product);
  if (std::isfinite(product)) {
    add(std::fma(a, b, -product));
  }
}

void ExactSum::merge(ExactSum const& other) {
  if (deposits_ + other.deposits_ > detail::most_deposits) {
    resolve_carries();
  }
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    limbs_[i] += other.limbs_[i];
  }
  specials_ |= other.specials_;
  deposits_ += other.deposits_;
}

void ExactSum::resolve_carries() {
  detail::resolve_carries(limbs_.data());
  deposits_ = 1;
}

double ExactSum::to_double() const {
  auto limbs = limbs_;
  return detail::round_words<double>(limbs.data(), specials_);
}

float ExactSum::to_float() const {
  auto limbs = limbs_;
  return detail::round_words<float>(limbs.data(), specials_);
}

DoubleFloat ExactSum::to_double_float() const {
  auto limbs = limbs_;
  return detail::round_words<DoubleFloat>(limbs.data(), specials_);
}

double ExactSum::to_odd_double() const {
  auto limbs = limbs_;
  return detail::round_words<double>(limbs.data(), specials_, detail::SumRounding::odd);
}

ExactSum ExactSum::from_words(std::int64_t const* words) {
  ExactSum sum;
  std::copy_n(words, detail::sum_limbs, sum.limbs_.begin());
  sum.specials_ = static_cast<std::uint64_t>(words[detail::special_word]);
  sum.resolve_carries();
  return sum;
}

ExactSum::SharedWords ExactSum::shared_words() const {
  auto limbs = limbs_;
  SharedWords words;
  detail::share_words(limbs.data(), specials_, words.data());
  return words;
}

ExactSum ExactSum::from_shared_words(SharedWords const& words) {
  ExactSum sum;
  sum.specials_ = detail::unshare_words(words.data(), sum.limbs_.data());
  sum.resolve_carries();
  return sum;
}

double exact_sum(std::span<double const> values) {
  ExactSum sum;
  for (double const value : values) {
    sum.add(value);
  }
  return sum.to_double();
}

}  // namespace ulpine
