// SPDX-License-Identifier: Apache-2.0
// Numbers that count, in kernels whose operations are known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/exec/reduce_counted.hpp"
#include "core/poisson/columns.hpp"
#include "precision/counted_number.hpp"

namespace {

using namespace ulpine;

/// What a launch of `count` points does.
template <class Body>
OperationCounts counted(std::int64_t count, Body const& body, int threads = 1) {
  CountedRun run;
  CountingHost const host{{threads}, &run};
  run.begin_stage("stage");
  for_each(host, count, body);
  run.end_stage();
  return run.stages().at("stage").operations;
}

/// Counts of one role.
OperationCounts of(Role role, std::initializer_list<std::pair<Kind, std::int64_t>> kinds) {
  OperationCounts counts;
  for (auto const& [kind, number] : kinds) counts.at(role, kind) = number;
  return counts;
}

/// y <- y + a x
template <class T>
struct Axpy {
  T a;
  T const* x;
  T* y;
  void operator()(std::int64_t i) const { y[i] += a * x[i]; }
};

TEST(Counting, AnAxpyIsAMultiplicationAndAnAdditionAPoint) {
  std::vector<CountedState> x(1001, 2.0), y(1001, 1.0);
  for (int const threads : {1, 3, 4}) {
    operations_done = {};
    auto const stage = counted(1001, Axpy<CountedState>{CountedState::of(0.5), x.data(), y.data()}, threads);
    EXPECT_EQ(stage, of(Role::state, {{Kind::multiply, 1001}, {Kind::add, 1001}})) << threads;
  }
  EXPECT_EQ(y[1000].value(), 4);
}

/// (u[i-1] - 2 u[i] + u[i+1]) dt / dx^2 where u is positive, in the type of Compute.
template <class State, class Compute>
struct Diffusion {
  State const* u;
  Compute rate, two;
  State zero;
  State* next;
  void operator()(std::int64_t i) const {
    auto const at = [&](std::int64_t n) { return static_cast<Compute>(u[n]); };
    if (!(u[i] > zero)) return;
    next[i] = static_cast<State>(math::fma(rate, at(i) - two * at(i + 1) + at(i + 2), at(i + 1)));
  }
};

TEST(Counting, AStencilCountsByRoleWhatItsBranchesTake) {
  std::vector<CountedState> u(102), next(102);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = CountedState::of(i % 4 == 0 ? -1.0 : 1.0 + double(i));
  auto const stage = counted(
      100, Diffusion<CountedState, CountedCompute>{u.data(), CountedCompute::of(0.25), CountedCompute::of(2),
                                                   CountedState::of(0), next.data()});
  auto expected = of(Role::state, {{Kind::compare, 100}, {Kind::from_compute, 75}});
  expected.add(of(Role::compute,
                  {{Kind::from_state, 4 * 75}, {Kind::multiply, 75}, {Kind::add, 2 * 75}, {Kind::fma, 75}}));
  EXPECT_EQ(stage, expected);
  EXPECT_EQ(next[1].value(), 3 + 0.25 * (2 - 6 + 4));
}

TEST(Counting, ValuesAreThoseOfDoubleOrFloat) {
  auto const x = 1 / 3.0, y = 0.7;
  CountedState const a = CountedState::of(x), b = CountedState::of(y);
  EXPECT_EQ((a + b).value(), x + y);
  EXPECT_EQ((a - b).value(), x - y);
  EXPECT_EQ((a * b).value(), x * y);
  EXPECT_EQ((a / b).value(), x / y);
  EXPECT_EQ((-a).value(), -x);
  EXPECT_EQ(math::fma(a, b, a).value(), std::fma(x, y, x));
  EXPECT_EQ(math::sqrt(a).value(), std::sqrt(x));
  EXPECT_EQ(math::pow(a, b).value(), math::pow(x, y));
  EXPECT_EQ(math::atan2(a, b).value(), math::atan2(x, y));
  EXPECT_EQ(math::hypot(a, b).value(), math::hypot(x, y));
  using Float = CountedNumber<Role::always_float>;
  Float const f = a;
  EXPECT_EQ(f.value(), static_cast<float>(x));
  EXPECT_EQ((f * f).value(), static_cast<float>(x) * static_cast<float>(x));
  EXPECT_EQ(CountedState(f).value(), static_cast<double>(static_cast<float>(x)));
  EXPECT_TRUE(a < b && a <= b && b > a && b >= a && a != b && a == a);
  EXPECT_TRUE(a <= a && a >= a);
  EXPECT_FALSE(b < a || b <= a || a > b || a >= b || a < a || a > a);
}

TEST(Counting, EachFunctionIsAKindOfItsOwn) {
  std::vector<CountedCompute> x(10, CountedCompute::of(0.5));
  CountedCompute sum;
  auto const stage = counted(10, [&](std::int64_t i) {
    auto const v = x[static_cast<std::size_t>(i)];
    using namespace math;
    for (auto const y : {exp(v), exp2(v), log(v), log2(v), pow(v, v), sin(v), cos(v), tan(v), atan2(v, v),
                         sinh(v), cosh(v), tanh(v), cbrt(v), hypot(v, v), sqrt(v), abs(v), -v, v / v}) {
      sum = y;
    }
  });
  for (std::size_t k = 0; k < kind_count; ++k) {
    auto const kind = static_cast<Kind>(k);
    bool const function = kind >= Kind::exp || kind == Kind::sqrt || kind == Kind::divide;
    EXPECT_EQ(stage.at(Role::compute, kind), function ? 10 : kind == Kind::sign ? 20 : 0) << kind_names[k];
  }
}

TEST(Counting, NumbersConvertedWhenAKernelRunsAreConversions) {
  std::vector<double> const plain(7, 0.1);
  std::vector<std::int64_t> whole(7, 3);
  std::vector<CountedCompute> values(7);
  std::vector<CountedState> states(7, CountedState::of(2));
  auto const stage = counted(7, [&](std::int64_t i) {
    auto const n = static_cast<std::size_t>(i);
    values[n] = CountedCompute(plain[n]) + CountedCompute(whole[n]) + CountedCompute(states[n]);
    whole[n] = static_cast<std::int64_t>(values[n]);
  });
  EXPECT_EQ(stage,
            of(Role::compute,
               {{Kind::from_real, 7}, {Kind::from_integer, 14}, {Kind::from_state, 7}, {Kind::add, 14}}));
}

#if defined(__OPTIMIZE__)
TEST(Counting, WhatTheCompilerKnowsIsNotCounted) {
  std::vector<CountedState> x(5, CountedState::of(6));
  auto const stage = counted(5, [&](std::int64_t i) {
    auto& v = x[static_cast<std::size_t>(i)];
    v = v * (CountedState(1) / CountedState(6));  // a constant
    v = v / CountedState(8);                      // a multiplication by a power of two
    v = v / CountedState(3);
  });
  EXPECT_EQ(stage, of(Role::state, {{Kind::multiply, 10}, {Kind::divide, 5}}));
  EXPECT_EQ(x[4].value(), 6 * (1 / 6.0) / 8 / 3);
}
#endif

TEST(Counting, ReductionsCountWhatTheyTakeIn) {
  CountedRun run;
  CountingHost const host{{2}, &run};
  std::vector<CountedState> x(100, CountedState::of(0.1)), y(100, CountedState::of(2));
  x[7] = CountedState::of(5);
  View<CountedState const> const in{x.data(), 100}, other{y.data(), 100};
  Scalar<CountedState, CountingHost> sum(host), dot(host), most(host), least(host);
  Reducer<CountingHost> const reducer(host);
  run.begin_stage("stage");
  reducer.sum_to(in, sum);
  reducer.dot_to(in, other, dot);
  reducer.max_to(in, most);
  reducer.min_to(in, least);
  run.end_stage();
  EXPECT_EQ(run.stages().at("stage").operations,
            of(Role::state, {{Kind::sum, 100}, {Kind::dot, 100}, {Kind::compare, 200}}));
  EXPECT_EQ(most.value().value(), 5);
  EXPECT_EQ(least.value().value(), 0.1);
  EXPECT_EQ(sum.value().value(), std::fma(99, 0.1, 5.0)) << "rounded once";
  EXPECT_EQ(dot.value().value(), std::fma(198, 0.1, 10.0));
}

TEST(Counting, AStageHasItsOwnAndWhatIsBetweenHasNoName) {
  CountedRun run;
  CountingHost const host{{1}, &run};
  std::vector<CountedState> x(10, CountedState::of(2)), y(10);
  auto const work = [&] { for_each(host, 10, Axpy<CountedState>{CountedState::of(3), x.data(), y.data()}); };
  operations_done = {};
  host.begin_step();
  host.begin_stage("one", 1);
  auto const before_a_launch = x[0] * x[1];
  work();
  auto const after_a_launch = x[0] * x[1];
  host.end_stage();
  work();
  host.begin_stage("two", 2);
  work();
  host.end_stage();
  host.begin_stage("one", 3);
  work();
  host.end_stage();
  EXPECT_EQ(before_a_launch.value() + after_a_launch.value(), 8);
  auto const& stages = run.stages();
  EXPECT_EQ(stages.at("one").operations, of(Role::state, {{Kind::multiply, 22}, {Kind::add, 20}}));
  EXPECT_EQ(stages.at("two").operations, of(Role::state, {{Kind::multiply, 10}, {Kind::add, 10}}));
  EXPECT_EQ(stages.at("").operations, stages.at("two").operations);
  EXPECT_EQ(stages.at("one").kernels, 2);
  EXPECT_EQ(stages.at("two").kernels, 1);
  EXPECT_EQ(stages.at("one").points, 20);
  EXPECT_EQ(stages.at("two").points, 10);
}

// A block of a device's threads works at what is one point of the host's loop.
TEST(Counting, ALaunchHasTheThreadsOfADevice) {
  CountedRun run;
  CountingHost const host{{2}, &run};
  std::vector<CountedState> x(10, CountedState::of(2)), y(10);
  run.begin_stage("stage");
  count_launch(host, 10, 10 * 256, Axpy<CountedState>{CountedState::of(3), x.data(), y.data()});
  run.move_again(7);
  run.move_again(8);
  run.end_stage();
  auto const& stage = run.stages().at("stage");
  EXPECT_EQ(stage.operations, of(Role::state, {{Kind::multiply, 10}, {Kind::add, 10}}));
  EXPECT_EQ(stage.kernels, 1);
  EXPECT_EQ(stage.points, 2560);
  EXPECT_EQ(stage.moved_again, 15);
  EXPECT_EQ(run.stages().at("").moved_again, 0);
}

TEST(Counting, LatticesHaveAllOfTheirPoints) {
  CountedRun run;
  CountingHost const host{{2}, &run};
  std::vector<CountedState> x(24);
  run.begin_stage("plane");
  for_each(host, Extent2{4, 6}, [&](std::int32_t ix, std::int32_t iy) {
    auto& value = x[static_cast<std::size_t>(iy * 4 + ix)];
    value = value + CountedState::of(1);
  });
  run.begin_stage("space");
  for_each(host, Extent3{4, 3, 2}, [&](std::int32_t ix, std::int32_t iy, std::int32_t iz) {
    auto& value = x[static_cast<std::size_t>((iz * 3 + iy) * 4 + ix)];
    value = value + CountedState::of(1);
  });
  run.end_stage();
  for (auto const* name : {"plane", "space"}) {
    EXPECT_EQ(run.stages().at(name).operations, of(Role::state, {{Kind::add, 24}})) << name;
  }
  for (auto const& value : x) EXPECT_EQ(value.value(), 2);
}

/// A level of the elimination of the pressure's columns (columns.hpp): the factors take three multiplications
/// and two fma of the quotient, and a reciprocal of two fma and two steps of three (with a change of sign),
/// and its scaling; each of the real and the imaginary part two fma inward, one multiplication to keep.
TEST(Counting, ALevelOfThePressuresColumnsIsWhatItsEquationsSay) {
  constexpr int levels = 9;
  std::vector<CountedCompute> in(7);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = CountedCompute::of(0.25 + 0.125 * double(n));
  auto const stage = counted(1, [&](std::int64_t) {
    Elimination<CountedCompute> elimination(in[0], in[1]);
    CountedCompute re = in[2], loss = in[3];
    for (int k = 0; k < levels; ++k) {
      re = Sweep<CountedCompute, Exact>::inward(re, loss, in[4], in[5]);
      auto const factors = elimination.next(in[4], in[5], in[6]);
      loss = factors.loss;
      re = Sweep<CountedCompute, Exact>::kept(re, factors.gain);
    }
  });
  auto const& done = stage;
  EXPECT_EQ(done.at(Role::compute, Kind::fma), levels * (2 + 8 + 2));
  EXPECT_EQ(done.at(Role::compute, Kind::multiply), levels * (7 + 1));
  EXPECT_EQ(done.at(Role::compute, Kind::sign), levels * (2 + 1));
  EXPECT_EQ(done.of(Kind::add), 0);
  EXPECT_EQ(done.of(Kind::divide), 0);
}

}  // namespace
