// SPDX-License-Identifier: Apache-2.0
#include "verification/atlas/atlas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <set>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::verification {
namespace {

constexpr char const* large = "NVIDIA H200";
constexpr char const* small = "NVIDIA H100 80GB HBM3";

/// A question as merge.py writes it, answered by one card or by two, on which the results have these hashes.
std::string row(std::string const& library, std::string const& block, std::string const& varied,
                std::string const& change, std::string const& answer, std::string const& hash = "1",
                std::string const& hash_on_small = "") {
  auto const answered = [&](std::string const& machine, std::string const& bits) {
    return "{ machine = \"" + machine + "\", driver = \"13.0\", answer = \"" + answer +
           "\", runs = 2, share = 0.5, ulps = 2.0, hash = \"" + bits +
           "\", changed_hash = \"2\", date = \"2026-01-01\" }";
  };
  auto measured = answered(large, hash);
  if (!hash_on_small.empty()) measured += ", " + answered(small, hash_on_small);
  return "  { library = \"" + library + "\", version = \"12.0.0\", block = \"" + block + "\", varied = \"" +
         varied + "\", change = \"" + change + "\", command = \"atlas_cuda\", measured = [" + measured +
         "] },\n";
}

void expect_words(std::string const& line, std::initializer_list<char const*> parts) {
  for (auto const* const part : parts)
    EXPECT_NE(line.find(part), std::string::npos) << part << " in: " << line;
}

class KnownDifferences : public testing::Test {
 protected:
  KnownDifferences() {
    std::ofstream(folder_ / "atlas.toml")
        << "rows = [\n"
        << row("cuFFT", "Z2Z 997", "batch", "48 lines of a batch of 64 against a batch of 48", "other", "5",
               "6")
        << row("cuFFT", "Z2Z 512", "batch", "48 lines of a batch of 64 against a batch of 48", "same", "7",
               "7")
        << row("cuFFT", "Z2Z 997", "arrival", "100 runs", "same")
        << row("cuBLAS", "dgemm 1024", "workspace", "CUBLAS_WORKSPACE_CONFIG=:0:0 against the default",
               "other")
        << row("cuBLAS", "dgemm 1024", "stream", "two streams by turns", "not the same in two runs")
        << row("cuBLAS", "sgemm 1024", "math_mode", "TF32 against the default", "other")
        << row("cuBLAS", "sgemm 1024", "math_mode", "CUBLAS_PEDANTIC_MATH against the default", "same")
        << row("FFTW", "complex double 384", "alignment",
               "both arrays moved by 8 bytes from a multiple of 64", "other")
        << row("FFTW", "complex double 384", "alignment",
               "both arrays moved by 16 bytes from a multiple of 64", "same")
        << row("CUDA", "exp float", "flags", "--use_fast_math against nvcc's default", "other")
        << row("CUDA", "exp float", "flags", "-O3 -march=native against -O2", "other")
        << row("Open MPI", "sum of 1000003 doubles", "ranks", "2 ranks against one", "other")
        << row("libgomp", "reduction(+) double", "threads", "4 threads against one", "other")
        << row("libgomp", "reduction(+), 3 threads, double", "arrival", "200 runs", "other")
        << row("CUDA", "atomicAdd double, 256 blocks of one thread", "arrival", "200 launches", "other")
        << "]\n";
    atlas_ = read_atlas(folder_ / "atlas.toml");
    for (auto* const run : {&first_, &second_}) {
      run->header.provenance.device = large;
      run->header.provenance.assembly = "atomic";
      run->header.provenance.case_hash = "0123456789abcdef";
      run->header.provenance.commit = "abc";
    }
  }

  /// What is known where the runs differ first in the output of `stage`, of which their traces tell so much.
  std::string known(std::string const& stage, io::TraceAttributes const& of_first = {},
                    io::TraceAttributes const& of_second = {}) {
    std::array<MergedTrace, 2> read;
    std::size_t number = 0;
    for (auto const* const trace : {&first_, &second_}) {
      auto const path = folder_ / "trace.bin";
      io::TraceWriter writer(path, trace->header.provenance, "");
      writer.describe_stage(stage, number == 0 ? of_first : of_second);
      io::TraceRecord record;
      record.position = {{"step", 1}};
      record.count = 1;
      record.hash = number;
      record.blocks = {record.hash};
      writer.append(stage, "p", record);
      writer.close();
      read[number++] = read_merged_trace(path);
    }
    auto const divergence = first_divergence(read[0], read[1]);
    return divergence ? known_of(atlas_, *divergence, read[0], read[1]) : "no difference";
  }

  test::TemporaryFolder folder_;
  Atlas atlas_;
  io::Trace first_, second_;
};

/// Attributes of a stage that calls a block, with one value.
io::TraceAttributes calling(char const* block, char const* name = nullptr, char const* value = "") {
  io::TraceAttributes attributes{{"blocks", block}};
  if (name != nullptr) attributes.emplace_back(name, value);
  return attributes;
}

TEST_F(KnownDifferences, TellOfAnotherBatch) {
  EXPECT_EQ(
      known("model.fft", calling("cuFFT Z2Z 997", "batch", "64"), calling("cuFFT Z2Z 997", "batch", "48")),
      "known of cuFFT 12.0.0: Z2Z 997 had other bits, up to 2 units in the last place apart (48 lines of a "
      "batch of 64 against a batch of 48; NVIDIA H200); here batch went from 64 to 48, which may be why: "
      "see whether the bits agree without that change, and whether the values are no farther apart; "
      "Ulpine's own transform keeps them (assembly deterministic, or make_portable_transform)");
}

TEST_F(KnownDifferences, TellOfTheSizeThatChangesBitsAlone) {
  for (auto const* const block : {"cuFFT Z2Z 512", "cuFFT Z2Z 99", "cuFFT Z2Z 9", "cuFFT Z2Z", "cuFFT"}) {
    EXPECT_EQ(known("model.fft", calling(block, "batch", "64"), calling(block, "batch", "48")), "") << block;
  }
}

TEST_F(KnownDifferences, TellOfTheValuesThatARowNames) {
  auto const silent = [&](char const* block, char const* name, char const* a, char const* b) {
    EXPECT_EQ(known("model.x", calling(block, name, a), calling(block, name, b)), "")
        << name << " " << a << " " << b;
  };
  silent("cuFFT Z2Z 997", "batch", "64", "32");
  silent("cuFFT Z2Z 997", "batch", "6", "48");
  silent("FFTW complex double 384", "alignment", "64", "16");
  silent("FFTW complex double 384", "alignment", "64", "32");
  silent("FFTW complex double 384", "alignment", "16", "8");
  silent("cuBLAS sgemm 1024", "math_mode", "default", "CUBLAS_PEDANTIC_MATH");
  silent("cuBLAS sgemm 1024", "math_mode", "TF32", "CUBLAS_PEDANTIC_MATH");
  silent("CUDA exp float", "flags", "-O2", "-O3");
  silent("cuBLAS dgemm 1024", "stream", "1", "2");
  silent("cuFFT Z2Z 997", "dt", "10", "20");
}

TEST_F(KnownDifferences, TellOfAlignment) {
  expect_words(known("model.fft", calling("FFTW complex double 384", "alignment", "64"),
                     calling("FFTW complex double 384", "alignment", "8")),
               {"moved by 8 bytes", "alignment went from 64 to 8"});
}

TEST_F(KnownDifferences, TellOfWorkspace) {
  expect_words(
      known("model.product", calling("cuBLAS dgemm 1024"), calling("cuBLAS dgemm 1024", "workspace", ":0:0")),
      {"CUBLAS_WORKSPACE_CONFIG=:0:0", "workspace went from none to :0:0", "cublasSetWorkspace"});
}

TEST_F(KnownDifferences, TellOfMathModesOfTheSecondBlock) {
  auto const* const blocks = "cuFFT Z2Z 512, cuBLAS sgemm 1024";
  expect_words(
      known("model.product", calling(blocks, "math_mode", "default"), calling(blocks, "math_mode", "TF32")),
      {"cuBLAS 12.0.0: sgemm 1024", "math_mode went from default to TF32"});
}

TEST_F(KnownDifferences, TellOfFlagsOfAStage) {
  expect_words(
      known("model.exp", calling("CUDA exp float"), calling("CUDA exp float", "flags", "--use_fast_math")),
      {"flags went from none to --use_fast_math"});
}

TEST_F(KnownDifferences, TellOfAnotherCard) {
  second_.header.provenance.device = small;
  auto const stage = calling("cuFFT Z2Z 997");
  expect_words(known("model.fft", stage, stage),
               {"Z2Z 997 had other bits", "device went from NVIDIA H200 to NVIDIA H100 80GB HBM3"});
  EXPECT_EQ(known("model.fft", calling("cuFFT Z2Z 512"), calling("cuFFT Z2Z 512")), "");
  EXPECT_EQ(known("les.pressure.forward_fft"), "");   // of which the size is not told
  second_.header.provenance.device = "another card";  // of which nothing was measured
  EXPECT_EQ(known("model.fft", stage, stage), "");
  second_.header.provenance.device = "cpu";
  EXPECT_EQ(known("model.fft", stage, stage), "");
}

TEST_F(KnownDifferences, TellOfDriversThatWereBothMeasured) {
  atlas_ = {{"CUDA",
             "13.0",
             "sin double",
             "compilation",
             "PTX against nvcc's code",
             {{large, "13.0", true, 0, "1"}, {large, "13.1", true, 0, "2"}}}};
  first_.header.provenance.driver = "13.0";
  second_.header.provenance.driver = "13.1";
  auto const stage = calling("CUDA sin double");
  expect_words(known("model.wave", stage, stage), {"driver went from 13.0 to 13.1"});
  second_.header.provenance.driver = "13.2";
  EXPECT_EQ(known("model.wave", stage, stage), "");
}

TEST_F(KnownDifferences, TellOfRanksAndThreadsByTheirNumber) {
  auto const ranks = calling("Open MPI sum of 1000003 doubles");
  second_.header.provenance.ranks = 2;
  expect_words(known("model.sum", ranks, ranks), {"ranks went from 1 to 2"});
  EXPECT_EQ(known("les.pressure.inverse_fft"), "");  // of which the size is not told
  second_.header.provenance.ranks = 3;
  EXPECT_EQ(known("model.sum", ranks, ranks), "");
  second_.header.provenance.ranks = 1;
  auto const threads = calling("libgomp reduction(+) double");
  first_.header.provenance.device = second_.header.provenance.device = "cpu";
  first_.header.provenance.threads = 1;
  second_.header.provenance.threads = 4;
  expect_words(known("model.sum", threads, threads), {"threads went from 1 to 4"});
  second_.header.provenance.threads = 3;
  EXPECT_EQ(known("model.sum", threads, threads), "");
}

TEST_F(KnownDifferences, TellOfArrivalByTheNumberOfThreadsOfANamedBlock) {
  first_.header.provenance.device = second_.header.provenance.device = "cpu";
  auto const three = calling("libgomp reduction(+), 3 threads, double");
  auto const with = [&](int threads) {
    first_.header.provenance.threads = second_.header.provenance.threads = threads;
    return known("model.sum", three, three);
  };
  expect_words(with(3), {"reduction(+), 3 threads, double", "adds in order of arrival"});
  EXPECT_EQ(with(1), "");
  EXPECT_EQ(with(2), "");
}

TEST_F(KnownDifferences, TellOfAtomicsThoughNothingChanged) {
  expect_words(known("fem.divergence"), {"200 launches", "nothing is recorded as changed", "deterministic"});
  first_.header.provenance.assembly = second_.header.provenance.assembly = "deterministic";
  EXPECT_EQ(known("fem.divergence"), "");
}

TEST_F(KnownDifferences, OfARealFaultAreNone) {
  EXPECT_EQ(known("les.pressure.forward_fft"), "");  // the same call again has the same bits
  EXPECT_EQ(known("les.advection"), "");             // a stage that calls no library
  EXPECT_EQ(known("model.fft", {{"blocks", "cuFFT"}}, {{"blocks", "FFTW"}}), "");
  auto const unchanged = second_.header.provenance;
  auto const altered = [&](auto alter) {
    second_.header.provenance = unchanged;
    alter(second_.header.provenance);
    return known("fem.divergence");
  };
  expect_words(altered([](io::Provenance&) {}), {"atomicAdd"});
  EXPECT_EQ(altered([](io::Provenance& run) { run.commit = "def"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.case_hash = "0"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.policy = "fp32"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.assembly = "deterministic"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.flags = "-ffast-math"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.block = 256; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.libraries = "glibc 2.31"; }), "");
}

TEST_F(KnownDifferences, OfTwoChangesAreNone) {
  auto a = calling("FFTW complex double 384", "alignment", "64"),
       b = calling("FFTW complex double 384", "alignment", "8");
  a.emplace_back("dt", "10");
  b.emplace_back("dt", "99");
  EXPECT_EQ(known("model.fft", a, b), "");
  auto const atomics = [](char const* dt) {
    return calling("CUDA atomicAdd double, 256 blocks of one thread", "dt", dt);
  };
  expect_words(known("model.sum", atomics("10"), atomics("10")), {"adds in order of arrival"});
  EXPECT_EQ(known("model.sum", atomics("10"), atomics("20")), "");
  Facts first{{"device", large}, {"assembly", "atomic"}, {"program_xxh64", "1"}}, second = first;
  expect_words(known_of_difference(atlas_, "fem.divergence", first, second), {"atomicAdd"});
  second.back().second = "2";
  EXPECT_EQ(known_of_difference(atlas_, "fem.divergence", first, second), "");
  second = first;
  second.emplace_back("device", "another besides");
  EXPECT_EQ(known_of_difference(atlas_, "fem.divergence", first, second), "");
  second = first;
  second.emplace_back("configuration", "cuda:1/fp64/atomic/fem.divergence=fp32");
  EXPECT_EQ(known_of_difference(atlas_, "fem.divergence", first, second), "");
}

TEST_F(KnownDifferences, OfValuesBeyondTheRowAreNone) {
  Facts const run{{"device", large}, {"assembly", "atomic"}};
  auto const at = [&](double ulps) {
    return known_of_difference(atlas_, "fem.divergence", run, run, {}, {}, ulps);
  };
  expect_words(at(2), {"up to 2 units in the last place"});
  EXPECT_EQ(at(3), "");
  EXPECT_EQ(at(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(at(std::numeric_limits<double>::quiet_NaN()), "");
  atlas_.back().answers.back().ulps = -1;  // NaN when it was measured
  EXPECT_EQ(known_of_difference(atlas_, "fem.divergence", run, run), "");
}

TEST_F(KnownDifferences, AreOneLine) {
  auto const line = known("model.x", calling("cuBLAS sgemm 1024", "math_mode", "TF32"),
                          calling("cuBLAS sgemm 1024", "math_mode", "default"));
  EXPECT_NE(line, "");
  atlas_.front().block = "Z2Z\n997";
  auto const broken =
      known("model.fft", calling("cuFFT Z2Z\n997", "batch", "64"), calling("cuFFT Z2Z\n997", "batch", "48"));
  EXPECT_NE(broken, "");
  EXPECT_EQ(broken.find('\n'), std::string::npos);
}

TEST_F(KnownDifferences, AreNoneOfRecordsThatDoNotMatch) {
  auto const fact = [](char const* name, char const* value) { return Facts{{name, value}}; };
  Divergence divergence;
  divergence.kind = Divergence::Kind::shape;
  divergence.stage = "fem.divergence";
  MergedTrace const merged{first_};
  EXPECT_EQ(known_of(atlas_, divergence, merged, merged), "");
  divergence.kind = Divergence::Kind::values;
  expect_words(known_of(atlas_, divergence, merged, merged), {"atomicAdd"});
  EXPECT_EQ(known_of_difference({}, "fem.divergence", fact("assembly", "atomic"), fact("assembly", "atomic")),
            "");
}

TEST_F(KnownDifferences, OfOneHostThreadAreNoneByArrival) {
  std::ofstream(folder_ / "host.toml")
      << "rows = [\n"
      << row("libgomp", "atomic additions, 4 threads, double", "arrival", "200 runs", "other") << "]\n";
  auto const atlas = read_atlas(folder_ / "host.toml");
  auto const run = [](char const* threads) {
    return Facts{{"device", "cpu"}, {"assembly", "atomic"}, {"threads", threads}};
  };
  EXPECT_EQ(known_of_difference(atlas, "seaice.nodal", run("1"), run("1")), "");
  EXPECT_EQ(known_of_difference(atlas, "seaice.nodal", run("1"), run("2")), "");
  EXPECT_EQ(known_of_difference(atlas, "seaice.nodal", run(""), run("")), "");
  expect_words(known_of_difference(atlas, "seaice.nodal", run("2"), run("4")), {"threads went from 2 to 4"});
}

TEST_F(KnownDifferences, TellOfVersionsByHashes) {
  auto const alike = row("FFTW", "complex double 384", "place", "at 17 places", "same", "1");
  auto text = "rows = [\n" + row("FFTW", "complex double 500", "place", "at 17 places", "same", "1");
  auto other = row("FFTW", "complex double 500", "place", "at 17 places", "same", "3");
  other.replace(other.find("12.0.0"), 6, "11.0.0");
  auto alike_before = alike;
  alike_before.replace(alike_before.find("12.0.0"), 6, "11.0.0");
  std::ofstream(folder_ / "versions.toml") << text << other << alike << alike_before << "]\n";
  auto const atlas = read_atlas(folder_ / "versions.toml");
  auto const told = [&](char const* block, char const* first, char const* second) {
    auto const run = [](char const* libraries) {
      return Facts{{"device", "cpu"}, {"assembly", "atomic"}, {"libraries", libraries}};
    };
    Facts const stage{{"blocks", block}};
    return known_of_difference(atlas, "model.fft", run(first), run(second), stage, stage);
  };
  expect_words(told("FFTW complex double 500", "netCDF 4.9.0, FFTW 11.0.0, glibc 2.36",
                    "netCDF 4.9.0, FFTW 12.0.0, glibc 2.36"),
               {"FFTW went from 11.0.0 to 12.0.0"});
  EXPECT_EQ(told("FFTW complex double 384", "FFTW 11.0.0", "FFTW 12.0.0"), "");
  EXPECT_EQ(told("FFTW complex double 500", "FFTW 12.0.0, glibc 2.31", "FFTW 12.0.0, glibc 2.36"), "");
  EXPECT_EQ(told("FFTW complex double 500", "FFTW 11.0.0, glibc 2.31", "FFTW 12.0.0, glibc 2.36"), "");
  EXPECT_EQ(told("FFTW complex double 500", "FFTW 11.0.0", "FFTW 10.0.0"), "");
}

TEST(AtlasOfBits, HasManyRowsOverManyLibraries) {
  auto const atlas =
      read_atlas(std::filesystem::path(std::getenv("ULPINE_SOURCE_DIR")) / "verification" / "atlas.toml");
  std::set<std::string> libraries;
  for (auto const& row : atlas) {
    libraries.insert(row.library);
    EXPECT_FALSE(row.answers.empty()) << row.library << " " << row.block;
  }
  EXPECT_GE(atlas.size(), 150u);
  EXPECT_GE(libraries.size(), 12u);
}

TEST(AtlasOfBits, IsRefusedWhereItIsNone) {
  test::TemporaryFolder const folder;
  for (auto const* const text :
       {"rows = 3", "rows = [", "rows = [ 3 ]", "rows = [ [ 3 ] ]",
        "rows = [ { library = \"x\", version = \"1\", block = \"y\", varied = \"batch\", "
        "change = \"z\", measured = [ 3 ] } ]",
        "rows = [ { library = \"x\" } ]", ""}) {
    std::ofstream(folder / "atlas.toml") << text;
    EXPECT_THROW(read_atlas(folder / "atlas.toml"), InputError) << text;
  }
  EXPECT_THROW(read_atlas(folder / "missing.toml"), InputError);
}

}  // namespace
}  // namespace ulpine::verification
