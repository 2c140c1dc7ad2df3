// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "io/error.hpp"

namespace ulpine::test {

/// A device for every test, or a skip.
class DeviceTest : public testing::Test {
 protected:
  explicit DeviceTest(int block = 256) : block_{block} {}

  void SetUp() override {
    try {
      use_block(block_);
    } catch (EnvironmentError const& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void TearDown() override {
    cuda = {};
    stream_.reset();
  }

  /// A new stream with blocks of `block` threads in place of the one before.
  void use_block(int block) {
    DeviceTest::TearDown();
    cuda = stream_.emplace(0, block).executor();
  }

  template <class T>
  Array<T, Cuda> upload(std::vector<T> const& values) const {
    Array<T, Cuda> array(cuda, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return array;
  }
  template <class T>
  static std::vector<T> download(Array<T, Cuda> const& array) {
    std::vector<T> values(static_cast<std::size_t>(array.size()));
    array.to_host(values.data());
    return values;
  }

  Cuda cuda{};

 private:
  int block_;
  std::optional<Stream> stream_;
};

}  // namespace ulpine::test
