// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"

/// With `--run-study CASE FOLDER` the program is the study that a test starts as a process of its own and
/// kills.
int main(int argc, char** argv) {
  ulpine::test::register_toy_model();
  if (argc == 4 && std::strcmp(argv[1], "--run-study") == 0) {
    ulpine::ensembles::StudyExecution execution;
    execution.jobs = 2;
    execution.resume = true;
    ulpine::ensembles::run_study({argv[2]}, ulpine::ensembles::make_plan(ulpine::test::toy_study()), argv[3],
                                 execution);
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
