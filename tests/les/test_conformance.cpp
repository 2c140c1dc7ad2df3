// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "core/les/register.hpp"
#include "io/error.hpp"
#include "support/conformance.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

/// Steps as long as may be, a town on warm ground, forces, sponge and disturbances.
char const* const town = R"toml(core = 'les'
[grid]
nx = 7
ny = 6
nz = 8
dx = 20.0
dy = 15.0
dz = 10.0
[time]
courant = 0.8
end = '1 h'
[air]
latitude = 52.0
[profile.wind]
u = [3.0]
[ground]
heat_flux = 0.1
roughness = 0.2
[buildings]
kind = 'street_canyon'
height = 20.0
canyon_width = 60.0
[sponge]
from = 60.0
rate = 0.01
[start]
noise_wind = 0.5
noise_theta = 0.1
disturbance = 0.25
disturb_every = '4 s'
disturb_until = '20 s'
)toml";
/// Steps of one length over flat cold ground.
char const* const flat = R"toml(dx = 20.0
dy = 15.0
dz = 10.0
stretch_factor = 1.1
[time]
step = '0.5 s'
end = '1 h'
[closure]
kind = 'smagorinsky'
[ground]
theta = 299.0
warming_per_hour = -2.0
[profile.wind]
u = [3.0]
v = [1.0]
[start]
noise_theta = 0.1
noise_wind = 0.3
)toml";
std::string flat_case(char const* sizes) { return std::string("core = 'les'\n[grid]\n") + sizes + flat; }
std::string const small = flat_case("nx = 9\nny = 4\nnz = 6\n"), tiny = flat_case("nx = 4\nny = 3\nnz = 4\n");

class EddiesConformance : public test::PlacesTest {
 protected:
  EddiesConformance() { les::register_core(); }
};

TEST_F(EddiesConformance, HoldsInATownInEveryPolicy) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "bf16"}) {
    test::expect_conformance(town, policy, Assembly::deterministic, test::places());
  }
}

TEST_F(EddiesConformance, HoldsOverFlatGround) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    test::expect_conformance(small, policy, Assembly::deterministic, test::places());
  }
}

TEST_F(EddiesConformance, HoldsInMoistAir) {
  auto const moist = std::string(town) +
                     "noise_humidity = 1e-3\n[profile.humidity]\nheights = [0.0, 40.0, 80.0]\n"
                     "kg_per_kg = [0.012, 0.01, 0.004]\n";
  auto const evaporating = [](std::string text, std::string const& after, std::string const& line) {
    return text.replace(text.find(after), after.size(), after + line);
  };
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    test::expect_conformance(evaporating(moist, "heat_flux = 0.1\n", "moisture_flux = 1e-4\n"), policy,
                             Assembly::deterministic, test::places());
    test::expect_conformance(evaporating(small, "theta = 299.0\n", "humidity = 0.015\n") +
                                 "[profile.humidity]\nkg_per_kg = [0.01]\n",
                             policy, Assembly::deterministic, test::places());
  }
}

TEST_F(EddiesConformance, HoldsWithTheVendorsTransform) {
  for (auto const* policy : {"fp64", "mixed"})
    test::expect_conformance(small, policy, Assembly::atomic, test::places());
}

#if !defined(ULPINE_GPU_TESTS)
TEST_F(EddiesConformance, HoldsInEmulatedFormats) {
  test::expect_conformance(tiny, "e11m52-sr1", Assembly::deterministic, test::places(), 2);
  auto places = test::places();
  for (auto& place : places) {
    place.stages = {{"les.tendency_u", "e8m10-sr3"}, {"les.pressure.forward_fft", "tf32"}};
  }
  test::expect_conformance(tiny, "fp64", Assembly::deterministic, places, 2);
}

/// After three steps, with `stages`.
std::unique_ptr<Model> run_of(std::string text, std::string const& policy,
                              std::vector<StageOverride> const& stages = {}, int threads = 1) {
  ModelOptions options;
  options.policy = policy;
  options.stages = stages;
  options.threads = threads;
  text.replace(text.find("end = '1 h'"), 11, "");  // no model's key
  auto model = make_model(io::CaseFile::parse(text, "eddies.toml"), options);
  model->advance(3);
  return model;
}

TEST_F(EddiesConformance, InBinary64IsTheRunInDoubleUnlessAtRandom) {
  for (auto const& text : {std::string(town), small}) {
    auto const plain = run_of(text, "fp64");
    EXPECT_EQ(run_of(text, "e11m52")->state_hash(), plain->state_hash());
    std::vector<StageOverride> all;
    for (auto const& stage : plain->stages()) all.push_back({stage.name, "e11m52"});
    EXPECT_EQ(run_of(text, "fp64", all)->state_hash(), plain->state_hash());
    auto const random = run_of(text, "e11m52-sr1")->state_hash();
    EXPECT_EQ(run_of(text, "e11m52-sr1", {}, 3)->state_hash(), random);
    EXPECT_NE(run_of(text, "e11m52-sr2")->state_hash(), random);
    EXPECT_NE(random, plain->state_hash());
  }
}

TEST_F(EddiesConformance, InBinary32IsTheRunInFloat) {
  auto const single = run_of(small, "fp32"), emulated = run_of(small, "e8m23");
  for (auto const& info : single->fields()) {
    std::vector<double> a(static_cast<std::size_t>(info.size())), b(a);
    single->read(info.name, a);
    emulated->read(info.name, b);
    EXPECT_EQ(a, b) << info.name;
  }
}

TEST_F(EddiesConformance, OfFormatsKnowsTheStages) {
  EXPECT_THROW(run_of(tiny, "fp64", {{"les.tendency_x", "e8m7"}}), InputError);
  EXPECT_THROW(run_of(tiny, "fp64", {{"les.tendency_u", "e8m7"}, {"les.tendency_u", "e8m10"}}), InputError);
  EXPECT_NE(run_of(tiny, "fp64", {{"les.tendency_u", "e8m7"}})->state_hash(),
            run_of(tiny, "fp64")->state_hash());
}
#endif

std::vector<double> all_of(Model const& model, char const* name) {
  for (auto const& info : model.fields()) {
    if (info.name != name) continue;
    std::vector<double> values(static_cast<std::size_t>(info.size()));
    model.read(name, values);
    return values;
  }
  return {};
}
double largest(std::vector<double> const& values) {
  auto most = 0.0;
  for (auto const value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Models with noise on such fields, and with the divergence among their outputs.
class PerturbedEddies : public EddiesConformance {
 protected:
  std::unique_ptr<Model> make(ModelOptions const& options, std::vector<std::string> const& perturbed,
                              std::string const& text = small) {
    les::register_core();
    auto const c = io::CaseFile::parse(text + "[output]\ndivergence = true\n", "case.toml");
    c.accept("time.end");
    auto model = make_model(c, options);
    for (auto const& field : perturbed) model->perturb(field, {5, 2, 0.25});
    return model;
  }
};

TEST_F(PerturbedEddies, StartFromAWindWithoutDivergenceWhichRestartsHold) {
  auto const place = test::places().front();
  auto const model = make(place, {"u", "v"});
  EXPECT_GT(largest(all_of(*model, "divergence")), 1e-3);

  io::StoredState const state(*model->state());

  // Rounding of the transforms, 64 times, of winds below 8 m s-1 over the least spacing.
  EXPECT_LE(largest(all_of(*model, "divergence")), 64 * 0x1p-53 * 8 * (2 / 20.0 + 2 / 15.0 + 2 / 10.0));
  auto const start = model->state_hash();
  auto const restarted = make(place, {"u"});
  restarted->restore(state);
  EXPECT_EQ(restarted->state_hash(), start);
  auto const at_once = make(place, {"u", "v"});
  for (auto* each : {model.get(), restarted.get(), at_once.get()}) each->advance(2);
  EXPECT_EQ(restarted->state_hash(), model->state_hash());
  EXPECT_EQ(at_once->state_hash(), model->state_hash());
}

TEST_F(PerturbedEddies, HaveTheSameBitsEverywhere) {
  for (auto const& text : {small, std::string(town)}) {
    std::set<std::uint64_t> starts, ends;
    for (auto const& place : test::places()) {
      auto const model = make(place, {"u", "v"}, text);
      model->state();
      starts.insert(model->state_hash());
      model->advance(2);
      ends.insert(model->state_hash());
    }
    EXPECT_EQ(starts.size(), 1u);
    EXPECT_EQ(ends.size(), 1u);
  }
}

TEST_F(PerturbedEddies, KeepTheirWindWhereTemperatureAloneIsPerturbed) {
  auto const model = make(test::places().front(), {"theta"}, town),
             plain = make(test::places().front(), {}, town);

  model->state();

  for (auto const* field : {"u", "v", "w"}) EXPECT_EQ(all_of(*model, field), all_of(*plain, field)) << field;
  EXPECT_NE(model->state_hash(), plain->state_hash());
}

#if !defined(ULPINE_GPU_TESTS)
TEST_F(EddiesConformance, HoldsInTheReference) {
  test::expect_conformance(tiny, "quad", Assembly::deterministic, test::places());
}
#endif

}  // namespace
