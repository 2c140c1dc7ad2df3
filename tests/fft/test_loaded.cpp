// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>
#include <gtest/gtest.h>

#include <string>

#include "io/provenance.hpp"

namespace ulpine {
namespace {

TEST(LoadedLibraries, NameFftwAsItIs) {
  std::string const whole = fftw_version;  // "fftw-3.3.10-sse2-avx"
  auto const version = whole.substr(5, whole.find('-', 5) - 5);
  auto const found = io::library_versions() + ",";
  EXPECT_NE(found.find(", FFTW " + version + ","), std::string::npos) << found;
}

}  // namespace
}  // namespace ulpine
