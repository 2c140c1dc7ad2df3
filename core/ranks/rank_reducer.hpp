// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "core/exec/reduce.hpp"
#include "core/ranks/link.hpp"

namespace ulpine {

/// The reductions of core/exec/reduce.hpp that leave their result in the executor's memory, over the values
/// of all ranks, each of which gets the result: the bits that one rank with all values has. Collective. One
/// rank alone does what a Reducer does. They run as the link does (call_with_messages in
/// core/stage/messages.hpp). std::logic_error for several ranks' values of more than 8 bytes, whose sums are
/// not exact.
template <class Executor>
class RankReducer {
 public:
  /// For dots_to() of at most so many `at_once`.
  RankReducer(Executor executor, Link<Executor>& link, std::int64_t at_once = 1)
      : reducer_{executor},
        link_{&link},
        words_(executor, link.several() ? at_once * detail::shared_sum_words : 0),
        key_(executor, link.several() ? 1 : 0) {}

  Link<Executor> const& link() const { return *link_; }

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) {
    if (!link_->several()) return reducer_.sum_to(x, result);
    add_up(std::span(&result, 1), [&](std::size_t, auto* words) { reducer_.share_sum(x, words); });
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) {
    if (!link_->several()) return reducer_.dot_to(x, y, result);
    add_up(std::span(&result, 1), [&](std::size_t, auto* words) { reducer_.share_dot(x, y, words); });
  }
  /// Several at once, which ranks add up in one message. No result is another's operand.
  template <class T, class R>
  void dots_to(std::span<InnerProduct<T, R> const> products) {
    if (link_->several()) {
      add_up(products,
             [&](std::size_t n, auto* words) { reducer_.share_dot(products[n].x, products[n].y, words); });
    } else if constexpr (Executor::on_device) {
      for (auto const& product : products) reducer_.dot_to(product.x, product.y, product);
    } else {
      reducer_.dots_to(products);
    }
  }
  template <Reducible X, Result R>
  void max_to(X const& x, R& result) {
    if (!link_->several()) return reducer_.max_to(x, result);
    find_extreme(x, true, result);
  }
  template <Reducible X, Result R>
  void min_to(X const& x, R& result) {
    if (!link_->several()) return reducer_.min_to(x, result);
    find_extreme(x, false, result);
  }

 private:
  template <class R>
  static constexpr bool exact = sizeof(ValueOf<R>) <= sizeof(std::uint64_t);
  [[noreturn]] static void refuse() { throw std::logic_error("values of this type have no exact sum"); }

  /// `share` leaves the words of the n-th sum; generic, so that nothing is made of it for a type without such
  /// sums.
  template <class R, class Share>
  void add_up(std::span<R> results, Share const& share) {
    if constexpr (exact<R>) {
      auto const count = static_cast<std::int64_t>(results.size()) * detail::shared_sum_words;
      if (count > words_.size()) throw std::logic_error("no room for so many inner products at once");
      auto const words = [this](std::size_t n) {
        return words_.view().data() + n * std::size_t{detail::shared_sum_words};
      };
      for (std::size_t n = 0; n < results.size(); ++n) share(n, words(n));
      link_->add(words(0), count);
      for (std::size_t n = 0; n < results.size(); ++n) reducer_.take_shared_sum(words(n), results[n]);
    } else {
      refuse();
    }
  }
  template <class X, class R>
  void find_extreme(X const& x, bool largest, R& result) {
    if constexpr (exact<R>) {
      auto* const key = key_.view().data();
      reducer_.share_extreme(x, largest, key);
      link_->largest(key, 1);
      reducer_.take_shared_extreme(key, largest, result);
    } else {
      refuse();
    }
  }

  Reducer<Executor> reducer_;
  Link<Executor>* link_;
  Array<std::uint64_t, Executor> words_;
  Array<std::int64_t, Executor> key_;
};

}  // namespace ulpine
