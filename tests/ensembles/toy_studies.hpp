// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"

/// Studies of the toy model in a folder of their own.
namespace ulpine::ensembles::toy_studies {

class Study : public testing::Test {
 protected:
  CaseSource source(std::string const& more = "") {
    return {folder.write("case.toml", test::toy_case() + more)};
  }

  test::TemporaryFolder folder;
};

}  // namespace ulpine::ensembles::toy_studies
