// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace ulpine::io {

/// The number of an open file, which is closed with the object; a negative one is none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace ulpine::io
