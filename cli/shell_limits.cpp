// SPDX-License-Identifier: Apache-2.0
#include "cli/shell_limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "io/error.hpp"

namespace ulpine::cli {
namespace {

rlimit limit_of(__rlimit_resource resource) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(resource, &limit);
  return limit;
}

}  // namespace

void respect_shell_limits() {
  constexpr rlim_t least_stack = rlim_t{256} << 10, least_files = 32;
  if (auto const stack = limit_of(RLIMIT_STACK).rlim_cur; stack < least_stack) {
    throw EnvironmentError(
        fmt::format("the stack may have {} KiB only (`ulimit -s`; work would end without a word) allow 8192",
                    stack >> 10));
  }
  if (auto files = limit_of(RLIMIT_NOFILE); files.rlim_cur < least_files) {
    files.rlim_cur = std::min(files.rlim_max, least_files);
    if (files.rlim_cur < least_files || ::setrlimit(RLIMIT_NOFILE, &files) != 0) {
      throw EnvironmentError(
          fmt::format("{} files may be open at a time (`ulimit -n`; half files would be left) allow 256",
                      files.rlim_cur));
    }
  }
  // At the hard limit the kernel kills without asking.
  if (auto time = limit_of(RLIMIT_CPU); time.rlim_cur != RLIM_INFINITY && time.rlim_cur == time.rlim_max) {
    constexpr rlim_t most_reserve = 60;  // s
    auto const reserve = std::clamp(time.rlim_max / 10, rlim_t{1}, most_reserve);
    time.rlim_cur = time.rlim_max > reserve ? time.rlim_max - reserve : 1;
    ::setrlimit(RLIMIT_CPU, &time);
  }
}

}  // namespace ulpine::cli
