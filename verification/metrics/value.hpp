// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

namespace ulpine::verification {

/// A finite number, or the reason why there is none.
class Value {
 public:
  /// `number` where it is finite, else a failure.
  static Value of(double number);
  /// A number that does not exist for correct input, e.g. the correlation with a constant field.
  static Value undefined(std::string reason);
  /// The input is broken, e.g. NaN on one side only: a gate on it fails rather than being left unjudged.
  static Value failure(std::string reason);

  Value() = default;  ///< undefined, "not computed"

  bool defined() const { return state_ == State::number; }
  bool failed() const { return state_ == State::failure; }
  /// NaN unless defined(), so that a forgotten check can never look like a perfect score.
  double number() const { return number_; }
  std::string const& reason() const { return reason_; }

 private:
  enum class State { number, undefined, failure };
  State state_ = State::undefined;
  double number_ = std::numeric_limits<double>::quiet_NaN();
  std::string reason_ = "not computed";
};

}  // namespace ulpine::verification
