// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace ulpine::test {

/// This process can open `more` files (or sockets) at once, and no others, while it lives.
class FewFiles {
 public:
  explicit FewFiles(unsigned more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    auto const next = dup(0);
    close(next);
    rlimit const few{static_cast<rlim_t>(next) + more, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  FewFiles(FewFiles const&) = delete;
  FewFiles& operator=(FewFiles const&) = delete;
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace ulpine::test
