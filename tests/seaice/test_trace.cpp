// SPDX-License-Identifier: Apache-2.0
// What a trace of sea ice must list, written by hand from the design: every stage of a step with each field
// that it writes, so that no stage can drop out of what is compared bit by bit.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/model/model.hpp"
#include "core/seaice/register.hpp"

namespace ulpine::seaice {
namespace {

/// (whether in a sub-step, stage, field) -> how often.
using Reports = std::map<std::tuple<bool, std::string, std::string>, int>;

class Counter : public StageObserver {
 public:
  void stage_done(StagePosition position, char const* stage, char const* field,
                  RawField const& values) override {
    EXPECT_EQ(position.step, 1);
    EXPECT_GT(values.count, 0) << stage << " " << field;
    ++reports[{position.substep > 0, stage, field}];
  }
  Reports reports;
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
      {{false, "seaice.advect.velocity", "dg_u"}, 1},
      {{false, "seaice.advect.velocity", "dg_v"}, 1},
      {{false, "seaice.advect.normal_velocity", "normal_x"}, 1},
      {{false, "seaice.advect.normal_velocity", "normal_y"}, 1},
      // Two tracers, H and A, each in the two stages of the Runge-Kutta scheme.
      {{false, "seaice.advect.cell", "rate"}, 4},
      {{false, "seaice.advect.edges", "rate"}, 4},
      {{false, "seaice.advect.update", "H"}, 2},
      {{false, "seaice.advect.update", "A"}, 2},
      {{false, "seaice.limit", "H"}, 1},
      {{false, "seaice.limit", "A"}, 1},
      {{false, "seaice.nodal", "cgH"}, 1},
      {{false, "seaice.nodal", "cgA"}, 1},
      {{false, "seaice.forcing", "cgH"}, 1},
      {{false, "seaice.forcing", "cgA"}, 1},
      {{false, "seaice.forcing", "wind_x"}, 1},
      {{false, "seaice.forcing", "wind_y"}, 1},
      {{false, "seaice.strength", "strength"}, 1},
  };
  using Pair = std::pair<char const*, char const*>;
  for (auto const& [stage, field] :
       {Pair{"strain", "E11"}, Pair{"strain", "E12"}, Pair{"strain", "E22"}, Pair{"stress", "S11"},
        Pair{"stress", "S12"}, Pair{"stress", "S22"}, Pair{"divergence", "force_x"},
        Pair{"divergence", "force_y"}, Pair{"velocity", "u"}, Pair{"velocity", "v"}, Pair{"boundary", "u"},
        Pair{"boundary", "v"}}) {
    wanted[{true, std::string("seaice.") + stage, field}] = 5;  // sub-steps
  }
  for (auto const* const policy : {"fp64", "fp32", "bf16"}) {
    EXPECT_EQ(reports_of_a_step(policy, Assembly::deterministic), wanted) << policy;
    EXPECT_EQ(reports_of_a_step(policy, Assembly::atomic), wanted) << policy;
  }
}

}  // namespace
}  // namespace ulpine::seaice
