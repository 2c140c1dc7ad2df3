// SPDX-License-Identifier: Apache-2.0
// Sequences of stages and their traces on a device, against the same on the host.
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/side_stream.hpp"
#include "core/field/hash.hpp"
#include "core/field/table.hpp"
#include "core/stage/runner.hpp"
#include "core/stage/trace.hpp"
#include "exec/gpu_kernels.hpp"
#include "exec/kernels.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;

void logistic(Host host, double a, View<double> x) { for_each(host, x.size(), exec_test::Logistic{a, x}); }
void logistic(Cuda cuda, double a, View<double> x) { exec_test::logistic(cuda, a, x); }

/// Chaotic fields, overwritten in every pattern that matters to a hash that runs beside the stages: by the
/// very next stage, by a stage later, by the next pass, by a stage of two launches and by a clear.
template <class Executor>
struct Model {
  static constexpr std::int64_t size = 3000;
  explicit Model(Executor e) : executor{e} {
    std::vector<double> start(size);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = (static_cast<double>(i) + 0.5) / size;
    for (auto* field : {&a, &b, &c, &d}) {
      field->from_host(start.data());
      std::ranges::rotate(start, start.begin() + 17);
    }
  }

  Executor executor;
  FieldTable fields;
  FieldOf<double, Executor>& a = add("a");
  FieldOf<double, Executor>& b = add("b");
  FieldOf<double, Executor>& c = add("c");
  FieldOf<double, Executor>& d = add("d");
  StageRunner runner;
  Stage first = runner.add({"m.first", "a and b", 1, Guarantee::bitwise});
  Stage second = runner.add({"m.second", "b again", 1, Guarantee::bitwise});
  Stage third = runner.add({"m.third", "c, in two launches", 1, Guarantee::bitwise});
  Stage fourth = runner.add({"m.fourth", "c copied to d after a clear", 1, Guarantee::bitwise});
  Stage library = runner.add({"m.library", "a library of the host", 1, Guarantee::bitwise});
  bool host_calls = false, throws = false;
  int sequences = 0;

  FieldOf<double, Executor>& add(char const* name) {
    return fields.add<double>(executor, {.name = name}, Layout::entities(size));
  }
  void on(Stage stage, FieldOf<double, Executor>& field, std::vector<Field const*> const& writes) {
    runner.call(
        stage, executor, [&] { logistic(executor, 3.99, field.view()); }, writes);
  }
  void stages() {
    ++sequences;
    for (int k = 1; k <= 7; ++k) {
      auto const pass = runner.loop("pass", k);
      runner.call(first, executor,
                  [&] {
                    logistic(executor, 3.98, a.view());
                    logistic(executor, 3.97, b.view());
                  },
                  {&a, &b});
      on(second, b, {&b});
      on(third, c, {});
      on(third, c, {&c});
      if (host_calls && k % 3 == 0) {
        runner.call(library, Host{1},
                    [&] {
                      std::vector<double> values(size);
                      a.to_host(values.data());
                      std::ranges::reverse(values);
                      a.from_host(values.data());
                    },
                    {&a});
      }
      if (throws) throw std::runtime_error("planted");
      runner.will_write({&d});
      d.fill_zero();
      runner.call(fourth, executor, [&] { d.copy_from(c); }, {&d});
    }
  }
  void step(std::int64_t number) {
    runner.begin_step(executor, number);
    on(first, a, {&a});
    runner.graph("passes", executor, [&] { stages(); });
  }
  std::vector<std::uint64_t> hashes() {
    std::vector<std::uint64_t> result;
    for (auto const* field : {&a, &b, &c, &d}) result.push_back(field_hash(field->raw()));
    return result;
  }
};

class SequenceOnDevice : public test::DeviceTest, public testing::WithParamInterface<bool> {
 protected:
  static constexpr int steps = 9;

  template <class Executor>
  static std::vector<StageRecord> traced(Model<Executor>& model) {
    std::vector<StageRecord> records;
    auto const recorder = make_trace_recorder(records);
    model.host_calls = GetParam();
    model.runner.observe(recorder.get());
    for (int step = 1; step <= steps; ++step) model.step(step);
    recorder->flush();
    model.runner.observe(nullptr);
    return records;
  }
};

INSTANTIATE_TEST_SUITE_P(WithoutAndWithHostCalls, SequenceOnDevice, testing::Bool());

TEST_P(SequenceOnDevice, GivesTheHostsBits) {
  Model<Cuda> device(cuda);
  Model<Host> host(Host{1});
  device.host_calls = host.host_calls = GetParam();
  for (int step = 1; step <= steps; ++step) {
    device.step(step);
    host.step(step);
  }
  EXPECT_EQ(device.hashes(), host.hashes());
  // Recorded once and timed in the second step; with calls of the host run through in every step.
  EXPECT_EQ(device.sequences, GetParam() ? steps : 2);
  auto const on_device = device.runner.times(), on_host = host.runner.times();
  for (std::size_t stage = 0; stage < on_host.size(); ++stage) {
    EXPECT_EQ(on_device[stage].launches, on_host[stage].launches) << on_host[stage].name;
    EXPECT_EQ(on_device[stage].bytes, on_host[stage].bytes) << on_host[stage].name;
  }
}

TEST_P(SequenceOnDevice, HasTheHostsTrace) {
  Model<Cuda> device(cuda);
  Model<Host> host(Host{1});
  auto const on_device = traced(device), on_host = traced(host);
  ASSERT_EQ(on_device.size(), on_host.size());
  for (std::size_t i = 0; i < on_host.size(); ++i) {
    SCOPED_TRACE(on_host[i].position.text() + " " + on_host[i].stage + " " + on_host[i].field);
    ASSERT_EQ(on_device[i].position, on_host[i].position);
    ASSERT_EQ(on_device[i].record.position, on_host[i].record.position);
    ASSERT_EQ(on_device[i].stage, on_host[i].stage);
    ASSERT_EQ(on_device[i].field, on_host[i].field);
    ASSERT_EQ(on_device[i].record.count, on_host[i].record.count);
    ASSERT_EQ(on_device[i].record.blocks, on_host[i].record.blocks);
    ASSERT_EQ(on_device[i].record.hash, on_host[i].record.hash);
  }
  EXPECT_EQ(device.hashes(), host.hashes());
  EXPECT_EQ(device.sequences, GetParam() ? steps : 2) << "a traced sequence is recorded, too";
}

TEST_P(SequenceOnDevice, IsTracedAloneAndAgainByAnotherRecorder) {
  Model<Cuda> device(cuda);
  Model<Host> host(Host{1});
  for (int turn = 0; turn < 3; ++turn) {
    auto const on_device = traced(device), on_host = traced(host);
    ASSERT_EQ(on_device.size(), on_host.size());
    for (std::size_t i = 0; i < on_host.size(); ++i) {
      ASSERT_EQ(on_device[i].record.hash, on_host[i].record.hash) << turn << ' ' << i;
    }
    device.step(steps + 1);
    host.step(steps + 1);
    EXPECT_EQ(device.hashes(), host.hashes()) << "unwatched after turn " << turn;
  }
}

TEST_P(SequenceOnDevice, MayHaveASideStreamAsABranch) {
  Model<Cuda> device(cuda);
  Model<Host> host(Host{1});
  auto const step = [](auto& model, auto& side, int number) {
    auto& runner = model.runner;
    runner.begin_step(model.executor, number);
    runner.graph("branch", model.executor, [&] {
      for (int pass = 0; pass < 20; ++pass) {
        model.on(model.first, model.a, {&model.a});
        // b is of a before it and c of b after it, whatever is done to a meanwhile.
        runner.call(model.second, model.executor, [&] { model.b.copy_from(model.a); }, {&model.b});
        side.fork();
        for (int n = 0; n < 5; ++n) logistic(side.executor(), 3.97, model.b.view());
        model.on(model.third, model.a, {&model.a});
        if (GetParam()) model.on(model.third, model.d, {&model.d});
        side.join();
        runner.call(model.fourth, model.executor, [&] { model.c.copy_from(model.b); }, {&model.c});
      }
    });
  };
  SideStream<Cuda> device_side(cuda);
  SideStream<Host> host_side(Host{1});
  for (int number = 1; number <= steps; ++number) {
    step(device, device_side, number);
    step(host, host_side, number);
  }
  EXPECT_EQ(device.hashes(), host.hashes());
}

TEST_P(SequenceOnDevice, SurvivesAFailureWhileItIsRecorded) {
  Model<Cuda> device(cuda);
  std::vector<StageRecord> records;
  auto const recorder = make_trace_recorder(records);
  device.host_calls = GetParam();
  for (auto* const observer :
       {static_cast<StageObserver*>(nullptr), static_cast<StageObserver*>(recorder.get())}) {
    device.runner.observe(observer);
    device.throws = true;
    EXPECT_THROW(device.step(1), std::runtime_error);
    device.throws = false;
    device.step(3);
    device.step(4);
  }
  recorder->flush();
  // A report before the sequence in each of three steps, then 5 in each pass of two and 1 in two of them.
  EXPECT_EQ(records.size(), 3u + 2 * (7 * 5 + (GetParam() ? 2 : 0)));
}

/// Names of the ranges that the program opens for a profiler, and ")" where it closes one.
std::vector<std::string> ranges;

int open_range(char const* name) {
  ranges.emplace_back(name);
  return 0;
}
int close_range() {
  ranges.emplace_back(")");
  return 0;
}

bool attached = false;

/// What a profiler does: has the two functions called. Returns 1 where that worked.
int attach(NvtxGetExportTableFunc_t export_table) {
  auto const* callbacks = static_cast<NvtxExportTableCallbacks const*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size) == 0) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&open_range);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&close_range);
  attached = true;
  return 1;
}

/// Before the first range, when NVTX looks for a profiler.
bool const attaches = [] {
  InitializeInjectionNvtx2_fnptr = attach;
  return true;
}();

class ProfilerRanges : public test::DeviceTest {};

TEST_F(ProfilerRanges, HaveTheNamesOfStages) {
  ASSERT_TRUE(attaches);
  nvtxMarkA("attaches what listens");
  if (!attached) GTEST_SKIP() << "another tool has been given the ranges of this run";
  Model<Cuda> model(cuda);
  ranges.clear();
  model.step(2);  // timed launch by launch, and so not recorded
  std::vector<std::string> expected = {"m.first", ")"};
  for (int pass = 0; pass < 7; ++pass) {
    for (auto const* const stage : {"m.first", "m.second", "m.third", "m.third", "m.fourth"}) {
      expected.insert(expected.end(), {stage, ")"});
    }
  }
  EXPECT_EQ(ranges, expected);
}

}  // namespace
