// SPDX-License-Identifier: Apache-2.0
// A stranger's program within whose project Ulpine is: it asks for the hash of nothing, which the
// specification of xxHash64 gives, and is compiled with the flags of the numerical contract.
#include <cstdio>

#include <ulpine/io/seal.hpp>

#if defined(__x86_64__) && !defined(__FMA__)
#error "ulpine_compile_options() gave a target outside Ulpine's own folder no flags"
#endif
#ifdef __NO_MATH_ERRNO__
#error "a stranger's pow(x, 0.5) becomes a square root in places"
#endif

int main() {
  auto const hash = ulpine::io::StreamHash().value();
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return hash == 0xef46db3751d8e999 ? 0 : 1;
}
