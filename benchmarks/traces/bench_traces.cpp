// SPDX-License-Identifier: Apache-2.0
// What it costs to find one unit in the last place at a random step of a long run (docs/results/traces.md):
//   bench_traces CASE STEPS STAGE FIELD SEED FOLDER
// Each piece of work runs in a process of its own, whose time and largest resident memory are told.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/seaice/register.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/reproducibility/bitwise.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/reproducibility/run_difference.hpp"
#include "ensembles/runs/run.hpp"
#include "lorenz96/lorenz.hpp"
#include "precision/formats.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;
namespace fs = std::filesystem;

/// A number below `count` from the seed and the number of the draw.
std::int64_t draw(std::uint64_t seed, std::uint32_t number, std::int64_t count) {
  auto const bits = philox_2x32(seed, number) >> 32;
  return static_cast<std::int64_t>(bits * static_cast<std::uint64_t>(count) >> 32);
}

std::int64_t bytes_in(fs::path const& folder) {
  std::int64_t bytes = 0;
  for (auto const& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  }
  return bytes;
}

/// Does `work` in a child and prints what it cost.
void measure(std::string const& what, std::function<void()> const& work) {
  std::fflush(stdout);
  auto const begin = std::chrono::steady_clock::now();
  auto const child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  auto const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{:<28} {:>8.2f} s  {:>7.1f} MB resident at most{}\n", what, wall,
             static_cast<double>(usage.ru_maxrss) * 1024e-6, status == 0 ? "" : "  FAILED");
}

/// A random output of that stage in the first step, and a random step and element for it.
PlantedFault random_fault(CaseSource const& source, std::string const& stage, std::string const& field,
                          std::int64_t steps, std::uint64_t seed) {
  auto const case_file = source.load();
  auto const model = make_model(case_file, {});
  std::vector<StageRecord> records;
  auto const recorder = make_trace_recorder(records);
  model->observe(recorder.get());
  model->advance(1);
  recorder->flush();
  model->observe(nullptr);
  std::erase_if(records, [&](auto const& record) { return record.stage != stage || record.field != field; });
  auto const& record =
      records.at(static_cast<std::size_t>(draw(seed, 0, static_cast<std::int64_t>(records.size()))));
  StagePosition position(1 + draw(seed, 1, steps));
  for (std::size_t level = 1; level < record.position.depth(); ++level) position.push(record.position[level]);
  return {stage, field, position, draw(seed, 2, record.record.count)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fmt::print(stderr, "usage: bench_traces CASE STEPS STAGE FIELD SEED FOLDER\n");
    return 2;
  }
  seaice::register_core();
  lorenz96::register_lorenz();
  CaseSource const source{argv[1], {"output.interval='0 s'"}};
  auto const steps = std::atoll(argv[2]);
  auto const seed = static_cast<std::uint64_t>(std::atoll(argv[5]));
  fs::path const folder = argv[6];
  auto const fault = random_fault(source, argv[3], argv[4], steps, seed);
  fmt::print("{} steps, one ulp at {}, stage {}, field {}, element {}\n", steps, fault.position.text(),
             fault.stage, fault.field, fault.element);

  auto const run_into = [&](char const* name, int checkpoints, bool faulty) {
    RunRequest request{source, {}, folder / name};
    request.steps = steps;
    request.checkpoints = checkpoints;
    if (faulty) request.fault = fault;
    run(request);
  };
  measure("run", [&] { run_into("plain", 0, false); });
  measure("run with checkpoints", [&] { run_into("a", usual_checkpoints, false); });
  measure("the same with the fault", [&] { run_into("b", usual_checkpoints, true); });
  fmt::print("{:<28} {} checkpoints, {:.2f} MB (hashes {:.2f} MB)\n", "on disk, each run",
             checkpoint_steps(folder / "a").size(),
             static_cast<double>(bytes_in(checkpoint_folder(folder / "a"))) * 1e-6,
             static_cast<double>(fs::file_size(checkpoint_folder(folder / "a") / "hashes.bin")) * 1e-6);
  measure("find the fault", [&] {
    auto const difference = first_difference(
        {folder / "a", folder / "b"},
        [&](std::size_t number, ReplayRequest request) {
          if (number == 1) request.fault = fault;
          replay(request);
        },
        folder / "scratch");
    fmt::print("{}", difference ? describe(*difference) : "no difference of states\n");
  });
  fmt::print("{:<28} {:.2f} MB\n", "on disk for it",
             static_cast<double>(bytes_in(folder / "scratch")) * 1e-6);
  measure("bitwise, all outputs watched", [&] {
    BitwiseRequest request{source, {Configuration{}, Configuration{}}};
    request.steps = steps;
    request.fault = {1, fault.stage, fault.field, fault.position, fault.element};
    fmt::print("{}", table(compare_bitwise(request)));
  });
}
