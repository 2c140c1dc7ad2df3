// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <vector>

#include "core/ranks/link.hpp"
#include "core/stage/messages.hpp"
#include "core/stage/runner.hpp"

namespace ulpine {

/// Messages of a link that stages run beside: copies and messages go in an order of their own then
/// (Link::side), and what comes in is there when the call is over. Where stages may not (overlaps()) one
/// follows the other; no bit depends on it.
template <class Executor>
class SideMessages {
 public:
  /// Stages run beside them only where `overlap`.
  SideMessages(Executor executor, Link<Executor>& link, bool overlap)
      : executor_{executor}, link_{&link}, overlap_{overlap && link.several() && link.in_stream_order()} {}

  /// Whether stages run beside messages now.
  bool overlaps(StageRunner const& stages) const { return overlap_ && stages.may_overlap<Executor>(); }

  /// Stage `stage`, which sends and writes `writes`, as whole(), or as begin() and end(), and the stages of
  /// work() beside its messages: they neither write what is sent nor touch what comes in, and send nothing
  /// themselves. begin() forks the link's side, end() joins it. Where one follows the other, the stages of
  /// work() come first.
  template <class Whole, class Begin, class Work, class End>
  void beside(StageRunner& stages, Stage stage, std::vector<Field const*> const& writes, Whole const& whole,
              Begin const& begin, Work const& work, End const& end) {
    if (!overlaps(stages)) {
      {
        Once const once(*this);
        work();
      }
      call_with_messages(stages, stage, executor_, *link_, whole, writes);
      return;
    }
    Once const once(*this);
    stages.call(stage, executor_, begin, {});
    work();
    stages.go_on(stage, executor_, end);
  }

  /// While it lives messages are under way: another is a std::logic_error.
  class Once {
   public:
    explicit Once(SideMessages& messages) : under_way_{messages.under_way_} {
      if (under_way_) throw std::logic_error("messages are sent beside messages of the same ranks");
      under_way_ = true;
    }
    Once(Once const&) = delete;
    Once& operator=(Once const&) = delete;
    ~Once() { under_way_ = false; }

   private:
    bool& under_way_;
  };

 private:
  Executor executor_;
  Link<Executor>* link_;
  bool overlap_;
  bool under_way_ = false;
};

}  // namespace ulpine
