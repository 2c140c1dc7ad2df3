// SPDX-License-Identifier: Apache-2.0
#include "core/exec/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::message_of;

TEST(HostMemory, MoreThanIsLeftIsRefusedByName) {
  EXPECT_GT(available_host_memory(), 0);
  EXPECT_NO_THROW(require_host_memory(1, "a crumb"));
  auto const message = message_of<EnvironmentError>(
      [] { require_host_memory(std::numeric_limits<std::int64_t>::max(), "a sea of cells"); });
  EXPECT_NE(message.find("a sea of cells needs 8796093022207 MiB"), std::string::npos) << message;
}

TEST(HostMemory, AnArrayBeyondItIsRefusedBeforeItIsTouched) {
  // 2^44 bytes, which the kernel may well promise and then cannot give.
  auto const message =
      message_of<EnvironmentError>([] { Array<double, Host>(Host{1}, std::int64_t{1} << 41); });
  EXPECT_NE(message.find("needs 16777216 MiB"), std::string::npos) << message;
}

TEST(HostMemoryDeathTest, TheLimitOfTheAddressSpaceCounts) {
  auto const limited = [] {
    // Above what is in use, which under a sanitizer is terabytes.
    constexpr std::int64_t left = std::int64_t{1} << 30, slack = std::int64_t{1} << 22;
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    auto const most = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + left);
    rlimit const limit{most, most};
    std::exit(setrlimit(RLIMIT_AS, &limit) == 0 && available_host_memory() < left + slack ? 0 : 1);
  };
  EXPECT_EXIT(limited(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ulpine
