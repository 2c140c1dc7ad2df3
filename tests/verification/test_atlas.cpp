// SPDX-License-Identifier: Apache-2.0
#include "verification/atlas/atlas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
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
        << row("cuFFT", "Z2Z 997", "batch", "48 lines of a batch of 64", "other", "5", "6")
        << row("cuFFT", "Z2Z 512", "batch", "48 lines of a batch of 64", "same", "7", "7")
        << row("cuFFT", "Z2Z 997", "arrival", "100 runs", "same")
        << row("cuBLAS", "dgemm 64 x 64 x 65536", "workspace", "CUBLAS_WORKSPACE_CONFIG=:0:0", "other")
        << row("cuBLAS", "dgemm 64 x 64 x 65536", "stream", "two streams by turns",
               "not the same in two runs")
        << row("cuBLAS", "sgemm 1024", "math_mode", "TF32", "other")
        << row("CUB", "DeviceReduce::Sum float 10000003", "alignment", "the pointer moved by 4 bytes",
               "other")
        << row("CUB", "DeviceReduce::Sum double 10000003", "alignment", "the pointer moved by 8 bytes",
               "same")
        << row("CUDA", "sin double", "compilation", "PTX of compute_80", "other")
        << row("CUDA", "exp double", "compilation", "PTX of compute_80", "same")
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

TEST_F(KnownDifferences, TellOfAnotherBatch) {
  EXPECT_EQ(
      known("model.fft", {{"blocks", "cuFFT Z2Z 997"}, {"batch", "64"}},
            {{"blocks", "cuFFT Z2Z 997"}, {"batch", "48"}}),
      "known of cuFFT 12.0.0: Z2Z 997 has other bits by 48 lines of a batch of 64 (NVIDIA H200, 1 of 1 such "
      "questions); here batch went from 64 to 48; Ulpine's own transform keeps them (assembly deterministic, "
      "or make_portable_transform)");
}

TEST_F(KnownDifferences, TellOfTheSizeThatChangesBitsAlone) {
  for (auto const* const size : {"512", "99", "9"}) {
    auto const block = std::string("cuFFT Z2Z ") + size;
    EXPECT_EQ(known("model.fft", {{"blocks", block}, {"batch", "64"}}, {{"blocks", block}, {"batch", "48"}}),
              "")
        << size;
  }
}

TEST_F(KnownDifferences, TellOfStreams) {
  expect_words(
      known("model.product", {{"blocks", "cuBLAS dgemm"}, {"stream", "1"}},
            {{"blocks", "cuBLAS dgemm"}, {"stream", "2"}}),
      {"two streams by turns", "stream went from 1 to 2", "a handle and a workspace for each stream"});
}

TEST_F(KnownDifferences, TellOfAlignmentByType) {
  io::TraceAttributes const a{{"blocks", "CUB DeviceReduce::Sum float"}, {"alignment", "16"}};
  io::TraceAttributes const b{{"blocks", "CUB DeviceReduce::Sum float"}, {"alignment", "4"}};
  expect_words(known("model.sum", a, b), {"moved by 4 bytes", "alignment went from 16 to 4"});
  io::TraceAttributes const c{{"blocks", "CUB DeviceReduce::Sum double"}, {"alignment", "16"}};
  io::TraceAttributes const d{{"blocks", "CUB DeviceReduce::Sum double"}, {"alignment", "8"}};
  EXPECT_EQ(known("model.sum", c, d), "");
}

TEST_F(KnownDifferences, TellOfWorkspace) {
  expect_words(known("model.product", {{"blocks", "cuBLAS dgemm 64 x 64 x 65536"}},
                     {{"blocks", "cuBLAS dgemm 64 x 64 x 65536"}, {"workspace", ":0:0"}}),
               {"CUBLAS_WORKSPACE_CONFIG=:0:0", "workspace went from none to :0:0", "cublasSetWorkspace"});
}

TEST_F(KnownDifferences, TellOfAnotherCard) {
  second_.header.provenance.device = small;
  expect_words(known("les.pressure.forward_fft"),
               {"Z2Z 997 has other bits on one of these cards than on the other (1 of 2 results)",
                "the device went from NVIDIA H200 to NVIDIA H100 80GB HBM3"});
  second_.header.provenance.device = "another card";  // of which nothing was measured
  EXPECT_EQ(known("les.pressure.forward_fft"), "");
}

TEST_F(KnownDifferences, TellOfRanksWhichChangeTheBatch) {
  second_.header.provenance.ranks = 2;
  expect_words(known("les.pressure.inverse_fft"), {"Z2Z 997 has other bits", "ranks went from 1 to 2"});
}

TEST_F(KnownDifferences, TellOfMathModes) {
  expect_words(known("model.product", {{"blocks", "cuFFT Z2Z 512, cuBLAS sgemm"}, {"math_mode", "default"}},
                     {{"blocks", "cuFFT Z2Z 512, cuBLAS sgemm"}, {"math_mode", "TF32"}}),
               {"cuBLAS 12.0.0: sgemm 1024", "math_mode went from default to TF32"});
}

TEST_F(KnownDifferences, TellOfAnotherDriver) {
  second_.header.provenance.driver = "13.1";
  expect_words(known("model.wave", {{"blocks", "CUDA sin double"}}, {{"blocks", "CUDA sin double"}}),
               {"PTX of compute_80", "the driver went from none to 13.1"});
  EXPECT_EQ(known("model.wave", {{"blocks", "CUDA exp double"}}, {{"blocks", "CUDA exp double"}}), "");
}

TEST_F(KnownDifferences, TellOfAtomicsThoughNothingChanged) {
  expect_words(known("fem.divergence"), {"200 launches", "nothing is recorded as changed", "deterministic"});
  first_.header.provenance.assembly = second_.header.provenance.assembly = "deterministic";
  EXPECT_EQ(known("fem.divergence"), "");
}

TEST_F(KnownDifferences, OfARealFaultAreNone) {
  EXPECT_EQ(known("les.pressure.forward_fft"), "");  // the same call again has the same bits
  second_.header.provenance.ranks = 2;
  EXPECT_EQ(known("les.advection"), "");  // a stage that calls no library
  EXPECT_EQ(known("model.fft", {{"blocks", "cuFFT"}}, {{"blocks", "FFTW"}}), "");
  auto const unchanged = second_.header.provenance;
  auto const altered = [&](auto alter) {
    second_.header.provenance = unchanged;
    alter(second_.header.provenance);
    return known("les.pressure.forward_fft");
  };
  expect_words(altered([](io::Provenance&) {}), {"ranks"});
  EXPECT_EQ(altered([](io::Provenance& run) { run.commit = "def"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.case_hash = "0"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.policy = "fp32"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.assembly = "deterministic"; }), "");
  EXPECT_EQ(altered([](io::Provenance& run) { run.flags = "-ffast-math"; }), "");
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
  expect_words(known_of_difference(atlas, "seaice.nodal", run("1"), run("2")),
               {"nothing else need have changed"});
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
  auto const run = [](char const* libraries) {
    return Facts{{"device", "cpu"}, {"assembly", "atomic"}, {"libraries", libraries}};
  };
  expect_words(
      known_of_difference(atlas, "les.pressure.forward_fft", run("netCDF 4.9.0, FFTW 11.0.0, glibc 2.36"),
                          run("netCDF 4.9.0, FFTW 12.0.0, glibc 2.36")),
      {"its version went from 11.0.0 to 12.0.0"});
  Facts const size{{"blocks", "FFTW complex double 384"}};
  EXPECT_EQ(known_of_difference(atlas, "model.fft", run("FFTW 11.0.0"), run("FFTW 12.0.0"), size, size), "");
  EXPECT_EQ(known_of_difference(atlas, "les.pressure.forward_fft", run("FFTW 12.0.0, glibc 2.31"),
                                run("FFTW 12.0.0, glibc 2.36")),
            "");
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
  for (auto const* const text : {"rows = 3", "rows = [", "rows = [ { library = \"x\" } ]", ""}) {
    std::ofstream(folder / "atlas.toml") << text;
    EXPECT_THROW(read_atlas(folder / "atlas.toml"), InputError) << text;
  }
  EXPECT_THROW(read_atlas(folder / "missing.toml"), InputError);
}

}  // namespace
}  // namespace ulpine::verification
