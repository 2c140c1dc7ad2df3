// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/value.hpp"

#include <cmath>
#include <utility>

namespace ulpine::verification {

Value Value::of(double number) {
  if (!std::isfinite(number)) {
    return failure(std::isnan(number) ? "not a number" : "exceeds the range of double");
  }
  Value value;
  value.state_ = State::number;
  value.number_ = number;
  value.reason_.clear();
  return value;
}

Value Value::undefined(std::string reason) {
  Value value;
  value.reason_ = std::move(reason);
  return value;
}

Value Value::failure(std::string reason) {
  Value value = undefined(std::move(reason));
  value.state_ = State::failure;
  return value;
}

}  // namespace ulpine::verification
