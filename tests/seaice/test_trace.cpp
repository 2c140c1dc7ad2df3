// SPDX-License-Identifier: Apache-2.0
// What a trace of sea ice must list, written by hand from the design: every stage of a step with each field
// that it writes, so that no stage can drop out of what is compared bit by bit.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/model/model.hpp"
#include "core/seaice/register.hpp"

namespace ulpine::seaice {
namespace {

/// (the loops around the stage, stage, field) -> how often.
using Reports = std::map<std::tuple<std::string, std::string, std::string>, int>;

class Counter : public StageObserver {
 public:
  void stage_done(StagePosition const& position, char const* stage, char const* field,
                  RawField const& values) override {
    EXPECT_EQ(position.step(), 1);
    EXPECT_GT(values.count(), 0) << stage << " " << field;
    EXPECT_TRUE(seen_.insert({position.text(), stage, field}).second)
        << stage << " reported " << field << " twice at " << position.text();
    std::string loops;
    for (std::size_t level = 1; level < position.depth(); ++level) {
      loops += (level == 1 ? "" : " ") + std::string(position[level].loop);
    }
    ++reports[{loops, stage, field}];
  }
  Reports reports;

 private:
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

Reports reports_of_a_step(std::string const& policy, Assembly assembly) {
  register_core();
  auto const model = make_model(io::CaseFile::parse("core = \"seaice\"\n"
                                                    "[grid]\nnx = 8\nny = 8\n"
                                                    "[discretisation]\ndg = 3\ncg = 1\n"
                                                    "[time]\nstep = \"2 min\"\nsubsteps = 5\n"
                                                    "[seaice]\nrunge_kutta = 2\n",
                                                    "trace.toml", "."),
                                {policy, assembly, "cpu", 1});
  Counter counter;
  model->observe(&counter);
  model->advance(1);
  return counter.reports;
}

TEST(Trace, ListsEveryStageAndFieldOfAStep) {
  Reports wanted = {
      {{"", "seaice.advect.velocity", "siu_dg"}, 1},
      {{"", "seaice.advect.velocity", "siv_dg"}, 1},
      {{"", "seaice.advect.normal_velocity", "normal_x"}, 1},
      {{"", "seaice.advect.normal_velocity", "normal_y"}, 1},
      // Two tracers, H and A, each in the two stages of the Runge-Kutta scheme.
      {{"tracer stage", "seaice.advect.cell", "rate"}, 4},
      {{"tracer stage", "seaice.advect.edges", "rate"}, 4},
      {{"tracer stage", "seaice.advect.update", "sivol_dg"}, 2},
      {{"tracer stage", "seaice.advect.update", "siconc_dg"}, 2},
      {{"", "seaice.limit", "sivol_dg"}, 1},
      {{"", "seaice.limit", "siconc_dg"}, 1},
      {{"", "seaice.nodal", "node_sivol"}, 1},
      {{"", "seaice.nodal", "node_siconc"}, 1},
      {{"", "seaice.forcing", "node_sivol"}, 1},
      {{"", "seaice.forcing", "node_siconc"}, 1},
      {{"", "seaice.forcing", "wind_x"}, 1},
      {{"", "seaice.forcing", "wind_y"}, 1},
      {{"", "seaice.strength", "strength"}, 1},
  };
  using Pair = std::pair<char const*, char const*>;
  for (auto const& [stage, field] :
       {Pair{"strain", "strain_xx"}, Pair{"strain", "strain_xy"}, Pair{"strain", "strain_yy"},
        Pair{"stress", "stress_xx"}, Pair{"stress", "stress_xy"}, Pair{"stress", "stress_yy"},
        Pair{"divergence", "force_x"}, Pair{"divergence", "force_y"}, Pair{"velocity", "siu"},
        Pair{"velocity", "siv"}, Pair{"boundary", "siu"}, Pair{"boundary", "siv"}}) {
    wanted[{"substep", std::string("seaice.") + stage, field}] = 5;  // sub-steps
  }
  for (auto const* const policy : {"fp64", "fp32", "bf16"}) {
    EXPECT_EQ(reports_of_a_step(policy, Assembly::deterministic), wanted) << policy;
    EXPECT_EQ(reports_of_a_step(policy, Assembly::atomic), wanted) << policy;
  }
}

}  // namespace
}  // namespace ulpine::seaice
