// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/core.hpp"
#include "core/parts/part_of.hpp"

namespace ulpine {

/// A core that is a domain D (Declarations) and the parts that a case has, in their order: processes of one
/// class Part, with functions that each step of the core calls.
template <class D, class Part>
class CoreOfParts : public Core {
 public:
  std::string name() const override { return d_.core(); }
  FieldTable& fields() override { return d_.fields; }
  StageRunner& stages() override { return d_.stages; }
  std::int64_t cells() const override { return d_.extent().size(); }
  std::int64_t other_bytes() const override {
    auto bytes = d_.bytes();
    if constexpr (requires(Part const& part) { part.bytes(); }) {
      for (auto const& part : parts_) bytes += part->bytes();
    }
    return bytes;
  }
  double fixed_step() const override {
    if constexpr (requires { d_.p.step; }) return d_.p.step;
    return 0;
  }

  /// The domain of such arguments and the parts that make(domain) gives.
  template <class Make, class... Of>
  explicit CoreOfParts(Make const& make, Of&&... of) : d_(std::forward<Of>(of)...), parts_{make(d_)} {}
  /// Graphs hold messages of a link between ranks, which the domain has among its members.
  ~CoreOfParts() override { d_.stages.forget_graphs(); }

 protected:
  /// Calls a function of all parts, in their order.
  template <class Result, class... Of, class... Given>
  void each(Result (Part::*function)(Of...), Given&&... given) {
    for (auto& part : parts_) (*part.*function)(given...);
  }

  /// Where a step of `length` s that began at `time` ends: at `latest` to the bit, where it reaches that.
  static double end_after(double length, double time, double latest) {
    return length < latest - time ? time + length : latest;
  }

  D d_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace ulpine
