// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  RankReducer(Executor executor, Link<Executor>& link)
      : reducer_{executor},
        link_{&link},
        words_(executor, link.several() ? detail::shared_sum_words : 0),
        key_(executor, link.several() ? 1 : 0) {}

  Link<Executor> const& link() const { return *link_; }

  template <Reducible X, Result R>
  void sum_to(X const& x, R& result) {
    if (!link_->several()) return reducer_.sum_to(x, result);
    add_up(result, [&](auto* words) { reducer_.share_sum(x, words); });
  }
  template <Reducible X, Reducible Y, Result R>
  void dot_to(X const& x, Y const& y, R& result) {
    if (!link_->several()) return reducer_.dot_to(x, y, result);
    add_up(result, [&](auto* words) { reducer_.share_dot(x, y, words); });
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

  /// `share` is generic, so that nothing is made of it for a type without such sums.
  template <class R, class Share>
  void add_up(R& result, Share const& share) {
    if constexpr (exact<R>) {
      auto* const words = words_.view().data();
      share(words);
      link_->add(words, detail::shared_sum_words);
      reducer_.take_shared_sum(words, result);
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
