// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/fdm/register.hpp"
#include "core/model/model.hpp"

namespace ulpine::test {

/// Models of the finite-difference core from a case's text, and their fields.
class Air : public ::testing::Test {
 public:
  static void SetUpTestSuite() { fdm::register_core(); }
  static std::unique_ptr<Model> make(std::string const& text, std::string const& policy = "fp64",
                                     int threads = 1) {
    ModelOptions options;
    options.policy = policy;
    options.threads = threads;
    return make_model(io::CaseFile::parse("core = 'fdm'\n" + text, "air.toml"), options);
  }
  static std::vector<double> read(Model const& model, std::string const& name) {
    for (auto const& fields : {model.fields(), model.static_fields()}) {
      for (auto const& info : fields) {
        if (info.name != name) continue;
        std::vector<double> values(static_cast<std::size_t>(info.size()));
        model.read(name, values);
        return values;
      }
    }
    ADD_FAILURE() << "no field " << name;
    return {};
  }
};

}  // namespace ulpine::test
