// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "cards/made_up_card.hpp"
#include "ensembles/cards/case_loads.hpp"
#include "ensembles/cards/fit.hpp"
#include "ensembles/cards/operation_costs.hpp"
#include "ensembles/cards/prediction.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles::cards;
using ulpine::test::made_up_card;
using ulpine::test::with;

Card some_card() {
  test::TemporaryFolder const folder;
  return read_card(folder.write("made_up.toml", made_up_card));
}

constexpr Efficiency some_efficiency{0.5, {0.8, 0.25, 0.5, 1}, 0.125};

/// 4 launches that move 1000 bytes, with instructions in double, float, special functions and integers.
StageLoad load(double fp64, double fp32, double special, double integer) {
  return {"stage", 4, 1000, {fp64, fp32, special, integer}};
}

/// Expects the time of a stage of 4 launches.
void expect_time(StageLoad const& load, Efficiency const& efficiency, double seconds, Bound bound) {
  auto const time = time_of(load, some_card(), efficiency);
  EXPECT_DOUBLE_EQ(time.seconds, seconds);
  EXPECT_EQ(time.bound, bound) << name_of(time.bound);
  EXPECT_EQ(time.name, "stage");
  EXPECT_EQ(time.launches, load.launches);
}

// Memory takes 1000 / (1000 x 0.5) = 2 s, launches 4 x 0.125 = 0.5 s.
TEST(TimeOfAStage, IsMemoryAndTheLargestPipeAndItsLaunches) {
  expect_time(load(0, 0, 0, 0), some_efficiency, 2.5, Bound::memory);
  expect_time(load(8, 0, 0, 0), some_efficiency, 3.5, Bound::memory);           // 8 / (10 x 0.8) = 1
  expect_time(load(24, 0, 0, 0), some_efficiency, 5.5, Bound::fp64);            // 24 / (10 x 0.8) = 3
  expect_time(load(24, 100, 0, 0), some_efficiency, 6.5, Bound::fp32);          // 100 / (100 x 0.25) = 4
  expect_time(load(24, 100, 12.5, 0), some_efficiency, 7.5, Bound::special);    // 12.5 / (5 x 0.5) = 5
  expect_time(load(24, 100, 12.5, 300), some_efficiency, 8.5, Bound::integer);  // 300 / (50 x 1) = 6
  auto many = load(0, 0, 0, 0);
  many.launches = 24;
  expect_time(many, some_efficiency, 5, Bound::latency);
}

// At 100 instructions a second that begin, as no clock is known: 300 take 3 s, no pipe as long.
TEST(TimeOfAStage, HasTheInstructionsOfAllPipesAndThoseOfAddresses) {
  Efficiency efficiency{0.5, {}, 0.125};
  auto stage = load(20, 150, 0, 130);
  expect_time(stage, efficiency, 5.5, Bound::instructions);
  efficiency.overhead = 1.5;
  expect_time(stage, efficiency, 5.5, Bound::instructions);
  stage.operations = 100;
  expect_time(stage, efficiency, 7, Bound::instructions);  // 450 in all
  stage.operations = 10;
  stage.instructions = {40, 0, 0, 0};  // 0.55 s to begin, 4 s in their pipe
  expect_time(stage, efficiency, 6.5, Bound::fp64);
}

// The thread's numbers are 40 x 8 / 16 = 20 one after the other, its instructions 60 x 8 / 16 = 30.
TEST(TimeOfAStage, IsNoShorterThanWhatAThreadDoes) {
  Efficiency efficiency{0.5, {}, 0.125};
  auto stage = load(0, 60, 0, 0);
  stage.kernels = 8;
  stage.points = 16;
  stage.numbers = 40;
  expect_time(stage, efficiency, 3.1, Bound::memory);
  efficiency.number_latency = 0.2;
  expect_time(stage, efficiency, 4.5, Bound::threads);
  efficiency.instruction_latency = 0.25;  // 7.5 s, in which the numbers come
  expect_time(stage, efficiency, 8, Bound::threads);
  efficiency.overhead = 2;
  stage.operations = 10;
  expect_time(stage, efficiency, 10.5, Bound::threads);
  efficiency.latency = 4;
  expect_time(stage, efficiency, 26, Bound::latency);
  efficiency = {0.5, {}, 0.125, {}, {}, 0.2, 0.02};
  expect_time(stage, efficiency, 4.5, Bound::threads);
  stage.points = 32;  // 2 s, where memory and instructions take 2.6
  expect_time(stage, efficiency, 3.1, Bound::memory);
  stage.points = 0;
  expect_time(stage, efficiency, 3.1, Bound::memory);
}

TEST(TimeOfAStage, HasTheBytesOfAllPasses) {
  auto stage = load(0, 0, 0, 0);
  stage.passes = 1.5;
  expect_time(stage, some_efficiency, 3.5, Bound::memory);
}

// 4 launches take 4 x 0.125 = 0.5 s besides memory's 2 s.
TEST(TimeOfAStage, HasTheLatenciesOfALoopsKernels) {
  auto measured = some_efficiency;
  measured.kernel_latency = 0.0625;
  auto const with_kernels = [](double kernels) {
    auto stage = load(0, 0, 0, 0);
    stage.kernels = kernels;
    return stage;
  };
  expect_time(with_kernels(68), measured, 6.5, Bound::latency);  // (68 - 4) x 0.0625 = 4 s with 0.5 s
  expect_time(with_kernels(68), some_efficiency, 2.5, Bound::memory);
  // No more than 16 kernels a launch are no loop.
  expect_time(with_kernels(64), measured, 2.5, Bound::memory);
  expect_time(with_kernels(0), measured, 2.5, Bound::memory);
}

TEST(TimeOfAStage, HasANumberForEachOperationOfALoop) {
  auto stage = load(0, 0, 0, 0);
  stage.operand_bytes = 4000;
  expect_time(stage, some_efficiency, 2.5, Bound::memory);
  stage.kernels = 68;
  expect_time(stage, some_efficiency, 8.5, Bound::memory);
  stage.operand_bytes = 400;
  expect_time(stage, some_efficiency, 2.5, Bound::memory);
}

TEST(TimeOfAStage, IsNeverLongerOnACardThatIsFasterInOneThing) {
  auto const card = some_card();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 100);
  for (int trial = 0; trial < 200; ++trial) {
    auto const some = load(uniform(random), uniform(random), uniform(random), uniform(random));
    auto const before = time_of(some, card, some_efficiency).seconds;
    for (auto const* const key :
         {"memory.bandwidth", "rates.fp64", "rates.fp32", "rates.special", "rates.integer"}) {
      auto faster = card;
      faster.figures.at(key).value *= 1.5;
      EXPECT_LE(time_of(some, faster, some_efficiency).seconds, before) << key;
    }
  }
}

TEST(Prediction, AddsTheStagesUp) {
  auto const card = some_card();
  std::vector<StageLoad> const loads = {load(0, 0, 0, 0), load(24, 0, 0, 0)};
  auto const prediction = predict(loads, card, some_efficiency);
  ASSERT_EQ(prediction.stages.size(), 2u);
  EXPECT_DOUBLE_EQ(prediction.seconds, 8);
  EXPECT_EQ(prediction.stages[1].bound, Bound::fp64);
}

TEST(Prediction, LeavesOutInstructionsOfUnknownRateAndSaysSo) {
  auto card = some_card();
  card.figures.erase("rates.special");
  std::vector<StageLoad> const loads = {load(0, 0, 1000, 0)};
  EXPECT_DOUBLE_EQ(predict(loads, card, some_efficiency).seconds, 12.5);  // all of them begin in 10 s
  EXPECT_EQ(pipes_without_rate(loads, card), std::vector{Pipe::special});
  EXPECT_TRUE(pipes_without_rate(std::vector{load(1, 1, 0, 1)}, card).empty());
}

TEST(StageLoad, OfARunIsThatOfAStepManyTimes) {
  StageLoad const step{"stage", 2, 3, {4, 5, 6, 7}, 8, 9, 1.5, 10, 11, 12};
  auto const run = step.times(10);
  EXPECT_EQ(run.name, "stage");
  EXPECT_EQ(run.launches, 20);
  EXPECT_EQ(run.bytes, 30);
  EXPECT_EQ(run.instructions, (std::array<double, pipes>{40, 50, 60, 70}));
  EXPECT_EQ(run.kernels, 80);
  EXPECT_EQ(run.points, 90);
  EXPECT_EQ(run.passes, 1.5);
  EXPECT_EQ(run.numbers, 100);
  EXPECT_EQ(run.operations, 110);
  EXPECT_EQ(run.operand_bytes, 120);
  EXPECT_EQ(run.of_a_thread(180), step.of_a_thread(18) * 10);
}

/// A table in which operation k of double takes k + 1 instructions in double, of float k + 1 in float.
std::string some_costs() {
  std::string text;
  for (auto const* const type : {"double", "float"}) {
    auto const pipe = std::string(type) == "double" ? "fp64" : "fp32";
    int number = 0;
    for (auto const* const name : {"add",     "multiply", "fma",  "divide", "sqrt", "compare", "sum",  "dot",
                                   "convert", "exp",      "exp2", "log",    "log2", "pow",     "sin",  "cos",
                                   "tan",     "atan2",    "sinh", "cosh",   "tanh", "cbrt",    "hypot"}) {
      text += std::string("[") + type + "." + name + "]\n" + pipe + " = " + std::to_string(++number) +
              "\nspecial = 0.5\nother = 2\n";
    }
  }
  return text;
}

OperationCosts read_costs(std::string const& text) {
  test::TemporaryFolder const folder;
  return read_operation_costs(folder.write("operation_costs.toml", text));
}

TEST(Instructions, AreOperationsTimesTheirCosts) {
  auto const costs = read_costs(some_costs());
  ByRoleAndKind<double> operations;
  operations.at(Role::state, Kind::multiply) = 10;
  operations.at(Role::compute, Kind::fma) = 100;
  operations.at(Role::accumulate, Kind::exp) = 1000;
  operations.at(Role::compute, Kind::sign) = 1e9;
  auto const mixed = instructions_of(operations, *types_of("mixed"), costs);
  EXPECT_DOUBLE_EQ(mixed[0], 10 * 2 + 1000 * 10);
  EXPECT_DOUBLE_EQ(mixed[1], 100 * 3);
  EXPECT_DOUBLE_EQ(mixed[2], 1110 * 0.5);
  EXPECT_DOUBLE_EQ(mixed[3], 1110 * 2);
  auto const fp64 = instructions_of(operations, *types_of("fp64"), costs);
  EXPECT_DOUBLE_EQ(fp64[0], 10 * 2 + 100 * 3 + 1000 * 10);
  EXPECT_DOUBLE_EQ(fp64[1], 0);
  auto const fp32 = instructions_of(operations, *types_of("fp32"), costs);
  EXPECT_DOUBLE_EQ(fp32[0], 0);
  EXPECT_DOUBLE_EQ(fp32[1], 10 * 2 + 100 * 3 + 1000 * 10);
}

TEST(Instructions, OfConversionsAreThoseBetweenDifferentTypes) {
  auto const costs = read_costs(some_costs());
  ByRoleAndKind<double> operations;
  operations.at(Role::compute, Kind::from_state) = 1;
  operations.at(Role::state, Kind::from_compute) = 10;
  operations.at(Role::accumulate, Kind::from_state) = 100;
  auto const mixed = instructions_of(operations, *types_of("mixed"), costs);
  EXPECT_DOUBLE_EQ(mixed[0], 10 * 9);
  EXPECT_DOUBLE_EQ(mixed[1], 1 * 9);
  EXPECT_EQ(instructions_of(operations, *types_of("fp64"), costs), (std::array<double, pipes>{}));
  operations = {};
  operations.at(Role::compute, Kind::from_integer) = 1;
  operations.at(Role::compute, Kind::from_always_double) = 1;
  EXPECT_DOUBLE_EQ(instructions_of(operations, *types_of("fp64"), costs)[0], 9);
  EXPECT_DOUBLE_EQ(instructions_of(operations, *types_of("fp32"), costs)[1], 18);
  operations.at(Role::always_double, Kind::add) = 1;
  EXPECT_DOUBLE_EQ(instructions_of(operations, *types_of("fp32"), costs)[0], 1);
}

TEST(Instructions, AreMadeOfTheSourcesOperations) {
  ByRoleAndKind<double> operations;
  operations.at(Role::state, Kind::add) = 1;
  operations.at(Role::compute, Kind::exp) = 10;
  operations.at(Role::accumulate, Kind::from_integer) = 100;
  operations.at(Role::always_float, Kind::divide) = 1000;
  operations.at(Role::always_double, Kind::compare) = 10000;
  // These are none, or no operations of the kernel's own.
  operations.at(Role::compute, Kind::sign) = 1e9;
  operations.at(Role::compute, Kind::from_state) = 1e9;
  operations.at(Role::state, Kind::from_always_double) = 1e9;
  operations.at(Role::accumulate, Kind::sum) = 1e9;
  operations.at(Role::accumulate, Kind::dot) = 1e9;
  auto const expect = [&](char const* policy, double bytes) {
    auto const source = source_operations(operations, *types_of(policy));
    EXPECT_EQ(source.number, 11111) << policy;
    EXPECT_EQ(source.bytes, bytes) << policy;
  };
  expect("fp64", 8 * 10111 + 4 * 1000);
  expect("mixed", 8 * 10101 + 4 * 1010);
  expect("fp32", 8 * 10000 + 4 * 1111);
  expect("df32", 8 * 10111 + 4 * 1000);
}

TEST(StageLoads, AreThoseOfTheStepThatWasCounted) {
  StageOperations stage{"stage", 2, 1600, 3, 50, 1.25, {}};
  stage.operations.at(Role::state, Kind::multiply) = 10;
  CountedOperations counted;
  counted.stages = {stage, {"still", 0, 0, 0, 0, 1, {}}};
  auto const costs = read_costs(some_costs());
  auto const loads = loads_of(counted, *types_of("fp32"), {{"stage", 400.0}}, costs);
  ASSERT_EQ(loads.size(), 1u);
  auto const& load = loads[0];
  EXPECT_EQ(load.name, "stage");
  EXPECT_EQ(load.launches, 2);
  EXPECT_EQ(load.bytes, 2 * 400);
  EXPECT_EQ(load.instructions, (std::array<double, pipes>{0, 20, 5, 20}));
  EXPECT_EQ(load.kernels, 3);
  EXPECT_EQ(load.points, 50);
  EXPECT_EQ(load.passes, 1.25);
  EXPECT_EQ(load.numbers, 200);
  EXPECT_EQ(load.operations, 10);
  EXPECT_EQ(load.operand_bytes, 40);
  EXPECT_EQ(loads_of(counted, *types_of("fp32"), {}, costs)[0].bytes, 1600) << "what was counted, in doubles";
}

TEST(OperationCosts, RefuseWhatIsMissingNegativeOrUnknown) {
  auto const refusal = [](std::string const& text) {
    auto const message = test::message_of<InputError>([&] { read_costs(text); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  };
  EXPECT_NE(refusal(with(some_costs(), "[float.exp2]", "[float.expo]")).find("float.exp2"),
            std::string::npos);
  EXPECT_NE(refusal(with(some_costs(), "fp64 = 3", "fp64 = -3")).find("double.fma.fp64"), std::string::npos);
  EXPECT_NE(refusal(with(some_costs(), "fp64 = 3", "fp65 = 3")).find("double.fma.fp65"), std::string::npos);
  EXPECT_NO_THROW(read_costs(with(some_costs(), "[double.dot]\nfp64 = 8\nspecial = 0.5\nother = 2\n", "")));
  auto const floats = read_costs(some_costs().substr(some_costs().find("[float.add]")));
  EXPECT_TRUE(has_costs(floats, *types_of("fp32")));
  EXPECT_FALSE(has_costs(floats, *types_of("mixed")));
  ByRoleAndKind<double> operations;
  operations.at(Role::state, Kind::add) = 1;
  EXPECT_NO_THROW(instructions_of(operations, *types_of("fp32"), floats));
  EXPECT_NE(test::message_of<InputError>([&] {
              instructions_of(operations, *types_of("fp64"), floats);
            }).find("no costs of type double"),
            std::string::npos);
}

// The hardware has one instruction each for these.
TEST(ShippedOperationCosts, AreOneInstructionWhereTheHardwareHasOne) {
  auto const costs = shipped_operation_costs();
  for (auto const kind : {Kind::add, Kind::multiply, Kind::fma}) {
    auto const number = static_cast<std::size_t>(kind);
    EXPECT_NEAR((*costs.of_type[0])[number][0], 1, 0.01);
    EXPECT_NEAR((*costs.of_type[1])[number][1], 1, 0.01);
    EXPECT_EQ((*costs.of_type[1])[number][0], 0);
    EXPECT_EQ((*costs.of_type[2])[number][0], 0);
    EXPECT_GT((*costs.of_type[2])[number][1], 5);
  }
  for (std::size_t kind = static_cast<std::size_t>(Kind::exp); kind < kind_count; ++kind) {
    EXPECT_GT((*costs.of_type[0])[kind][0], 5) << kind_names[kind];
  }
}

TEST(PolicyTypes, AreThoseOfTheRowsThatDevicesRunExactly) {
  EXPECT_EQ(types_of("mixed")->state, CountedType::float64);
  EXPECT_EQ(types_of("mixed")->compute, CountedType::float32);
  EXPECT_EQ(types_of("mixed")->accumulate, CountedType::float64);
  EXPECT_EQ(types_of("fp32")->accumulate, CountedType::float32);
  EXPECT_EQ(types_of("df32")->compute, CountedType::double_float);
  EXPECT_EQ(types_of("mixed32")->compute, CountedType::float32);
  EXPECT_FALSE(types_of("quad"));
  EXPECT_FALSE(types_of("tf32"));
  EXPECT_FALSE(types_of("e8m7"));
}

TEST(PolicyTypes, OfTwoFloatsHaveAsManyBytesAsDoubles) {
  EXPECT_EQ(sized_like("df32"), "fp64");
  EXPECT_EQ(sized_like("mixed32"), "mixed");
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "quad"}) EXPECT_EQ(sized_like(policy), policy);
}

// A float is one of the two, or is one with another of 0.
TEST(PolicyTypes, OfTwoFloatsConvertToFloatAtNoCost) {
  ByRoleAndKind<double> operations;
  operations.at(Role::compute, Kind::from_state) = 1;
  operations.at(Role::state, Kind::from_compute) = 1;
  auto const costs = shipped_operation_costs();
  auto const sum = [&](char const* policy) {
    auto const each = instructions_of(operations, *types_of(policy), costs);
    return std::accumulate(each.begin(), each.end(), 0.0);
  };
  EXPECT_EQ(sum("mixed32"), 0);
  EXPECT_EQ(sum("df32"), 0);
  EXPECT_GT(sum("mixed"), 0);
}

// A solve of 24 cycles on 10 levels against a stage of three kernels.
TEST(StageLoad, IsALoopWhereALaunchRunsManyKernels) {
  StageLoad load;
  load.launches = 2;
  load.kernels = 6;
  EXPECT_FALSE(load.is_loop());
  load.kernels = 480;
  EXPECT_TRUE(load.is_loop());
}

/// Stages of random loads, each of which waits for one of memory, instructions, FP64, and what a thread moves
/// and does, with the times that these efficiencies give. Those of every second one, which a fit may not see,
/// are so many times as long.
std::vector<MeasuredStage> made_up_stages(Card const& card, Efficiency const& efficiency, double others = 1) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.1, 1);
  std::vector<MeasuredStage> stages;
  for (int i = 0; i < 40; ++i) {
    StageLoad load;
    load.name = std::string("stage") + char('a' + i / 26) + char('a' + i % 26);
    load.launches = load.kernels = std::floor(1 + 20 * uniform(random));
    auto const dear = i / 2 % 5;
    load.bytes = (dear == 0 ? 50000 : 2000) * uniform(random);
    load.instructions[0] = (dear == 4 ? 2000 : 5) * uniform(random);
    load.instructions[1] = (dear == 1 ? 5000 : 200) * uniform(random);
    load.operations = (dear == 1 ? 5000 : 200) * uniform(random);
    load.numbers = (dear == 2 ? 50000 : 2000) * uniform(random);
    load.points = load.launches * (dear == 2 ? 20 : dear == 3 ? 2 : 1000);
    auto const seconds = time_of(load, card, efficiency).seconds * (i % 2 == 0 ? 1 : others);
    stages.push_back({std::move(load), seconds});
  }
  return stages;
}
/// Of memory, launches, no kernels of loops, overhead, numbers and instructions of a thread.
constexpr Efficiency made{0.85, {}, 0.02, {}, 1.5, 0.03, 0.2};

TEST(Fit, RecoversTheEfficienciesThatTimesWereMadeWith) {
  auto const card = some_card();
  auto const measured = fit_and_judge(made_up_stages(card, made), card);
  EXPECT_NEAR(measured.efficiency.memory, 0.85, 1e-9);
  EXPECT_NEAR(measured.efficiency.latency, 0.02, 1e-9);
  EXPECT_NEAR(measured.efficiency.overhead.value(), 1.5, 1e-9);
  EXPECT_NEAR(measured.efficiency.number_latency.value(), 0.03, 1e-9);
  EXPECT_NEAR(measured.efficiency.instruction_latency.value(), 0.2, 1e-9);
  EXPECT_FALSE(measured.efficiency.kernel_latency);
  EXPECT_EQ(measured.efficiency.of_pipe, Efficiency{}.of_pipe);
  EXPECT_EQ(measured.judgement.fitted, 20);
  EXPECT_EQ(measured.judgement.judged, 20);
  EXPECT_LT(measured.judgement.largest_error, 1e-9);
  EXPECT_LT(measured.judgement.median_error, 1e-9);
  EXPECT_LT(measured.judgement.total_error, 1e-9);
}

TEST(Fit, TellsNothingThatNoTimeDependsOn) {
  auto const card = some_card();
  std::vector<MeasuredStage> stages;
  for (auto& stage : made_up_stages(card, made)) {
    stage.load.points = 0;
    stage.load.operations = 0;
    stage.seconds = time_of(stage.load, card, made).seconds;
    stages.push_back(stage);
  }
  auto const fitted = fit_efficiency(stages, card);
  EXPECT_NEAR(fitted.memory, 0.85, 1e-9);
  EXPECT_FALSE(fitted.overhead);
  EXPECT_FALSE(fitted.number_latency);
  EXPECT_FALSE(fitted.instruction_latency);
}

/// The same stages, of which every fifth is a loop of 20 to 110 kernels a launch; times are those that the
/// efficiencies give, each up to `noise` longer or shorter, relative.
std::vector<MeasuredStage> stages_with_loops(Card const& card, Efficiency const& efficiency,
                                             double noise = 0) {
  auto stages = made_up_stages(card, efficiency);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto& [load, seconds, run] = stages[i];
    if (i % 5 == 0) {
      auto const kernels = std::floor(20 + 90 * uniform(random));
      load.kernels *= kernels;
      load.points *= kernels;
    }
    seconds = time_of(load, card, efficiency).seconds * (1 + noise * (2 * uniform(random) - 1));
  }
  return stages;
}
/// `made` with other latencies.
Efficiency with_latencies(double of_launches, double of_kernels) {
  auto efficiency = made;
  efficiency.latency = of_launches;
  efficiency.kernel_latency = of_kernels;
  return efficiency;
}

TEST(Fit, RecoversBothLatencies) {
  auto const card = some_card();
  auto const measured = fit_and_judge(stages_with_loops(card, with_latencies(0.02, 0.005)), card);
  EXPECT_NEAR(measured.efficiency.memory, 0.85, 1e-9);
  EXPECT_NEAR(measured.efficiency.overhead.value(), 1.5, 1e-9);
  EXPECT_NEAR(measured.efficiency.latency, 0.02, 1e-9);
  EXPECT_NEAR(measured.efficiency.kernel_latency.value(), 0.005, 1e-9);
  EXPECT_EQ(measured.judgement.judged, 20);
  EXPECT_LT(measured.judgement.largest_error, 1e-9);
  EXPECT_LT(measured.judgement.total_error, 1e-9);
}

// Where times would be told best by a latency below 0, it is 0.
TEST(Fit, HasNoLatencyBelowZero) {
  auto const card = some_card();
  auto const of_kernels = fit_efficiency(stages_with_loops(card, with_latencies(0.02, -1e-5)), card);
  EXPECT_GT(of_kernels.latency, 0.015);
  EXPECT_EQ(of_kernels.kernel_latency, 0.0);
  auto const of_launches = fit_efficiency(stages_with_loops(card, with_latencies(-1e-3, 0.005)), card);
  EXPECT_EQ(of_launches.latency, 0);
  EXPECT_NEAR(of_launches.kernel_latency.value(), 0.005, 5e-4);
}

TEST(Fit, HasTheLeastSumOfSquares) {
  auto const card = some_card();
  auto const stages = stages_with_loops(card, with_latencies(0.2, 0.02), 0.1);
  auto const sum_of = [&](Efficiency const& efficiency) {
    double sum = 0;
    for (auto const& stage : judge(stages, card, efficiency))
      sum += std::pow(std::log(stage.predicted / stage.seconds), 2);
    return sum;
  };
  auto const best = fit_efficiency(stages, card);
  auto const least = sum_of(best);
  EXPECT_GT(least, 1e-3);
  for (double const factor : {0.9999, 1.0001}) {
    auto const expect_more = [&](auto const& number_of) {
      auto other = best;
      number_of(other) *= factor;
      EXPECT_GT(sum_of(other), least);
    };
    expect_more([](Efficiency& other) -> double& { return other.memory; });
    expect_more([](Efficiency& other) -> double& { return other.latency; });
    expect_more([](Efficiency& other) -> double& { return other.kernel_latency.value(); });
    expect_more([](Efficiency& other) -> double& { return other.overhead.value(); });
    expect_more([](Efficiency& other) -> double& { return other.number_latency.value(); });
    expect_more([](Efficiency& other) -> double& { return other.instruction_latency.value(); });
  }
}

// Of a stage that takes half of what it should and one that takes twice that, neither weighs more.
TEST(Fit, TakesHalfAndTwiceForErrorsOfOneSize) {
  std::vector<MeasuredStage> const stages = {{{"a", 0, 1000, {}}, 1}, {{"b", 0, 1000, {}}, 4}};
  EXPECT_NEAR(fit_efficiency(stages, some_card()).memory, 0.5, 1e-6);
}

TEST(Fit, JudgesByLoopsOnlyWhereOneIsFitted) {
  StageLoad const loop{"loop", 1, 1, {}, 100};
  auto const with_loop = [&](char const* name) {
    std::vector<MeasuredStage> stages;
    for (auto const* const other : {"a", "b", "c", "d"}) stages.push_back({{other, 1, 1, {}, 1}, 1});
    stages.push_back({loop, 1});
    stages.back().load.name = name;
    return stages;
  };
  EXPECT_EQ(halve(with_loop("e")).judged.size(), 2u);  // the fifth name is fitted
  EXPECT_EQ(halve(with_loop("e")).fitted.size(), 3u);
  auto const second = halve(with_loop("aa"));
  ASSERT_EQ(second.judged.size(), 1u);
  EXPECT_EQ(second.judged[0].load.name, "c");
  auto two = with_loop("aa");
  two.push_back({loop, 1});
  two.back().load.name = "az";  // the third name, which is fitted
  EXPECT_EQ(halve(two).judged.size(), 3u);
}

TEST(Fit, DoesNotSeeTheHalfThatJudges) {
  auto const card = some_card();
  auto const measured = fit_and_judge(made_up_stages(card, made, 2), card);
  EXPECT_NEAR(measured.efficiency.memory, 0.85, 1e-9);
  EXPECT_NEAR(measured.efficiency.latency, 0.02, 1e-9);
  EXPECT_NEAR(measured.judgement.median_error, 0.5, 1e-9);
  EXPECT_NEAR(measured.judgement.largest_error, 0.5, 1e-9);
  EXPECT_NEAR(measured.judgement.total_error, 0.5, 1e-9);
}

TEST(Fit, HasAStageOfSeveralRunsInOneHalf) {
  std::vector<MeasuredStage> stages;
  for (int run = 0; run < 3; ++run) {
    for (auto const* const name : {"c", "a", "b"}) stages.push_back({{name, 1, 1, {}}, 1.0 + run});
  }
  auto const halves = halve(stages);
  ASSERT_EQ(halves.fitted.size(), 6u);
  ASSERT_EQ(halves.judged.size(), 3u);
  for (auto const& stage : halves.judged) EXPECT_EQ(stage.load.name, "b");
}

TEST(Fit, NeedsStagesInBothHalves) {
  std::vector<MeasuredStage> const one = {{{"a", 1, 1, {}}, 1}};
  EXPECT_NE(test::message_of<InputError>([&] { fit_and_judge(one, some_card()); }).find("fewer than two"),
            std::string::npos);
}

TEST(JudgedStages, AreThoseThatTakeLongestFirstWithTheirErrors) {
  std::vector<MeasuredStage> const stages = {{{"a", 0, 500, {}}, 2, "run"}, {{"b", 8, 1000, {}}, 4, "other"}};
  auto const judged = judge(stages, some_card(), some_efficiency);
  ASSERT_EQ(judged.size(), 2u);
  EXPECT_EQ(judged[0].name, "b");
  EXPECT_EQ(judged[0].run, "other");
  EXPECT_DOUBLE_EQ(judged[0].predicted, 3);  // 1000 / (1000 x 0.5) and 8 x 0.125
  EXPECT_DOUBLE_EQ(judged[0].error(), -0.25);
  EXPECT_EQ(judged[0].bound, Bound::memory);
  EXPECT_EQ(judged[1].name, "a");
  EXPECT_DOUBLE_EQ(judged[1].error(), -0.5);  // 500 / (1000 x 0.5)
}

TEST(Fit, JudgesByTheTenStagesThatTakeLongest) {
  auto const card = some_card();
  std::vector<MeasuredStage> stages;
  for (int i = 0; i < 24; ++i) {
    auto const bytes = 1000.0 * (30 - i);
    auto name = std::string(1, char('a' + i));
    // All reach the full bandwidth, but of the twelve that judge the tenth takes a quarter longer than that,
    // and the last, which does not count, half as long again.
    auto const times = i == 19 ? 1.25 : i == 23 ? 1.5 : 1;
    stages.push_back({{name, 0, bytes, {}}, bytes / 1000 * times});
  }
  auto const measured = fit_and_judge(stages, card);
  EXPECT_NEAR(measured.efficiency.memory, 1, 1e-12);
  EXPECT_EQ(measured.judgement.judged, 12);
  EXPECT_NEAR(measured.judgement.largest_error, 0.2, 1e-12);
  EXPECT_EQ(measured.judgement.median_error, 0);
}

}  // namespace
