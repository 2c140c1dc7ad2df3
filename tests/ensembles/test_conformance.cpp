// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>

#include "core/exec/host.hpp"
#include "core/model/core.hpp"
#include "ensembles/reproducibility/conformance.hpp"
#include "ensembles/toy_model.hpp"
#include "support/temporary_folder.hpp"

// The suite holds for sound models and is red for each breach of what a core promises.

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

/// A wave on a ring with a mean; `broken` names its one fault.
class Ring final : public Core {
 public:
  Ring(io::CaseFile const& case_file, ModelOptions const& options)
      : host_{options.threads}, broken_{case_file.text("ring.broken", "")} {
    for (std::int64_t i = 0; i < size; ++i) {
      height_.view()[at_.memory_index(i)] = 1 + 0.001 * static_cast<double>(i * i % 97);
    }
    mass_.view()[0] = 1;
    io::Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}};
    for (std::int64_t i = 0; i < size; ++i) x.values.push_back(1000. * static_cast<double>(i));
    fields_.add_coordinate(x);
  }
  std::string name() const override { return "ring"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return size; }
  double take_step(std::int64_t step, double time, double latest) override {
    stages_.begin_step(host_, step);
    auto const layout = at_;
    for (int k = 1; k <= 2; ++k) {
      auto const loop = stages_.loop("substep", broken_ == "position" ? 1 : k);
      auto const height = height_.view();
      auto const speed = speed_.view();
      auto const mass = mass_.view();
      auto const wave = [=](std::int64_t i) {
        auto const next = height[layout.memory_index((i + 1) % size)];
        speed[i] += 0.01 * (height[layout.memory_index(i)] - next) * mass[0];
      };
      stages_.run(wave_, host_, size, wave, {&speed_});
      auto const threads = host_.threads;
      auto const move = [=, drift = broken_ == "threads" ? 1e-15 * threads : 0.](std::int64_t i) {
        height[layout.memory_index(i)] -= 0.01 * (speed[i] - speed[(i + size - 1) % size]) + drift;
      };
      stages_.run(move_, host_, size, move, {&height_});
    }
    if (broken_ == "announced") {
      stages_.will_write({&speed_});
      speed_.view()[7] += 1e-12;
    }
    double sum = 0;
    static std::atomic<std::int64_t> arrival = 0;
    auto const first = broken_ == "arrival" ? ++arrival * 37 % size : 0;
    stages_.call(mean_, host_,
                 [&] {
                   for (std::int64_t i = 0; i < size; ++i)
                     sum += height_.view()[at_.memory_index((first + i) % size)];
                   mass_.view()[0] = sum / static_cast<double>(size);
                   if (broken_ == "undeclared") speed_.view()[7] += 1e-12;
                 },
                 {&mass_});
    if (broken_ == "allocation") Array<double, Host> const scratch(host_, size);
    if (broken_ == "watched" && stages_.watched()) height_.view()[at_.memory_index(3)] += 1e-12;
    if (broken_ == "vanishing") {
      for (std::int64_t i = 0; i < size; ++i) {
        auto& value = height_.view()[at_.memory_index(i)];
        if (!(value == value)) value = 0;
        if (!(speed_.view()[i] == speed_.view()[i])) speed_.view()[i] = 0;
      }
      if (!(mass_.view()[0] == mass_.view()[0])) mass_.view()[0] = 1;
    }
    auto const end = time + 10 + static_cast<double>(step % 3);
    return broken_ == "times" ? end : std::min(end, latest);
  }

 private:
  static constexpr std::int64_t size = 48;
  /// With three points of halo before and after.
  static constexpr Layout at_{{{size, 1, size}}, 3, size + 6};

  FieldRole role_of_mass() const { return broken_ == "restart" ? FieldRole::work : FieldRole::prognostic; }

  Host host_;
  std::string broken_;
  FieldTable fields_;
  FieldOf<double, Host>& height_ = fields_.add<double>(
      host_,
      {.name = "height",
       .units = broken_ == "units" ? "" : "m",
       .long_name = "height of the water",
       .role = FieldRole::prognostic,
       .dimensions = {"x"},
       .output = true,
       .perturbable =
           Perturbable{"", -1e300, 1e300,
                       broken_ == "noise" ? std::optional(Layout({{size, 1, size + 5, 5}}, 3, size + 6))
                                          : std::nullopt}},
      at_);
  FieldOf<double, Host>& speed_ = fields_.add<double>(
      host_, {.name = "speed", .units = "m s-1", .long_name = "speed", .role = FieldRole::prognostic},
      Layout::entities(size));
  FieldOf<double, Host>& mass_ = fields_.add<double>(
      host_, {.name = "mass", .long_name = "mean height", .role = role_of_mass()}, Layout::entities(1));
  StageRunner stages_;
  Stage wave_ = stages_.add({"ring.wave", broken_ == "doc" ? "" : "speed from slope", 24. * size});
  Stage move_ = stages_.add({"ring.move", "height from speed", broken_ == "bytes" ? 0. : 24. * size});
  Stage mean_ = stages_.add({"ring.mean", "mean height", 8. * size});
};

class Conformance : public testing::Test {
 protected:
  std::map<std::string, std::string> broken_checks(std::string const& fault) {
    register_model("ring", "a wave on a ring",
                   [](io::CaseFile const& case_file, ModelOptions const& options) {
                     return model_of(std::make_unique<Ring>(case_file, options), case_file, options.policy);
                   });
    test::TemporaryFolder const folder;
    ConformanceRequest request;
    request.source = {
        folder.write("case.toml", "core = 'ring'\n[ring]\nbroken = '" + fault + "'\n[time]\nend = '1 h'\n")};
    request.folder = folder / "files";
    request.configurations.resize(2);
    request.configurations[1].threads = 2;
    std::map<std::string, std::string> broken;
    for (auto const& check : check_conformance(request)) {
      if (!check.broken.empty()) broken[check.name] = check.broken;
    }
    return broken;
  }
};

TEST_F(Conformance, HoldsForASoundModelWithAdaptiveSteps) {
  EXPECT_EQ(broken_checks(""), (std::map<std::string, std::string>{}));
}

TEST_F(Conformance, HoldsWhereWhatIsDoneBesideStagesIsAnnounced) {
  EXPECT_EQ(broken_checks("announced"), (std::map<std::string, std::string>{}));
}

TEST_F(Conformance, HoldsForTheToy) {
  test::register_toy_model();
  test::TemporaryFolder const folder;
  ConformanceRequest request;
  request.source = {folder.write("case.toml", test::toy_case())};
  request.folder = folder / "files";
  request.configurations.resize(2);
  request.configurations[1].threads = 2;
  for (auto const& check : check_conformance(request)) EXPECT_EQ(check.broken, "") << check.name;
}

TEST_F(Conformance, IsRedForEveryBreach) {
  std::map<std::string, std::string> const check_of = {
      {"units", "fields"},       {"doc", "stages"},           {"bytes", "stages"},
      {"position", "stages"},    {"undeclared", "stages"},    {"threads", "configurations"},
      {"arrival", "repetition"}, {"watched", "unwatched"},    {"restart", "restart"},
      {"noise", "perturbation"}, {"vanishing", "not finite"}, {"allocation", "allocation"},
      {"times", "times"}};
  for (auto const& [fault, check] : check_of) {
    auto const broken = broken_checks(fault);
    EXPECT_TRUE(broken.contains(check)) << fault << " is not seen; broken are " << broken.size();
  }
}

}  // namespace
