// SPDX-License-Identifier: Apache-2.0
// A stranger's program within whose project Ulpine is: it asks for the hash of nothing, which the
// specification of xxHash64 gives.
#include <cstdio>

#include "io/seal.hpp"

int main() {
  auto const hash = ulpine::io::StreamHash().value();
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return hash == 0xef46db3751d8e999 ? 0 : 1;
}
