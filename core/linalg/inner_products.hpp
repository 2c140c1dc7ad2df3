// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "core/exec/reduce.hpp"
#include "core/ranks/link.hpp"

namespace ulpine::linalg {

/// An inner product of vectors in the executor's memory, and where it goes.
template <class T, class C>
struct InnerProduct {
  View<T const> x, y;
  C* result;
  View<C> view() const { return {result, 1}; }  ///< as a reduction's result
};

/// Inner products over the values of all ranks, several at once: ranks add up all in one message. Each is the
/// exact sum, rounded once, with the bits that one rank with all values has; one rank alone does what a
/// Reducer does. Collective. std::logic_error for several ranks' values of more than 8 bytes, whose sums are
/// not exact.
template <class Executor>
class InnerProducts {
 public:
  /// For at most so many `at_once`.
  InnerProducts(Executor executor, Link<Executor>& link, std::int64_t at_once)
      : reducer_{executor},
        link_{&link},
        words_(executor, link.several() ? at_once * detail::shared_sum_words : 0) {}

  /// No result is another's operand.
  template <class T, class C>
  void operator()(std::span<InnerProduct<T, C> const> products) {
    if (!link_->several()) {
      for (auto const& product : products) reducer_.dot_to(product.x, product.y, product);
    } else if constexpr (sizeof(C) <= sizeof(std::uint64_t)) {
      auto const each = std::int64_t{detail::shared_sum_words};
      auto const count = each * static_cast<std::int64_t>(products.size());
      if (count > words_.size()) throw std::logic_error("no room for so many inner products at once");
      auto* const words = words_.view().data();
      for (std::size_t n = 0; n < products.size(); ++n) {
        reducer_.share_dot(products[n].x, products[n].y, words + each * static_cast<std::int64_t>(n));
      }
      link_->add(words, count);
      for (std::size_t n = 0; n < products.size(); ++n) {
        reducer_.take_shared_sum(words + each * static_cast<std::int64_t>(n), products[n]);
      }
    } else {
      throw std::logic_error("values of this type have no exact sum");
    }
  }

 private:
  Reducer<Executor> reducer_;
  Link<Executor>* link_;
  Array<std::uint64_t, Executor> words_;
};

}  // namespace ulpine::linalg
