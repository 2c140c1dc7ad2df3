// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

/// Runs the tests; the exit code is 77 where every one of them skipped, which CTest shows as Skipped.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int const status = RUN_ALL_TESTS();
  auto const& tests = *testing::UnitTest::GetInstance();
  bool const all_skipped =
      tests.test_to_run_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count();
  return status == 0 && all_skipped ? 77 : status;
}
