// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace ulpine::test {

/// The message of the `Error` that `action` throws about the file at `path`, which must be one line that
/// names it; empty where it throws none.
template <class Error, class Action>
std::string refusal_of(std::filesystem::path const& path, Action action) {
  try {
    action();
    return "";
  } catch (Error const& error) {
    std::string const message = error.what();
    EXPECT_EQ(message.find(path.string() + ": "), 0u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
}

}  // namespace ulpine::test
