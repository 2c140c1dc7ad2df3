// SPDX-License-Identifier: Apache-2.0
#include "fuzz/coverage/readers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "ensembles/study/manifest.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/seal.hpp"
#include "io/trace_file.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/comparison/trace_diff.hpp"
#include "verification/results/results.hpp"

namespace ulpine::fuzz {
namespace {

namespace fs = std::filesystem;

std::string as_it_is(std::string_view bytes) { return std::string(bytes); }

std::string sealed_object(std::string_view bytes) {
  std::string text(bytes);
  auto const brace = text.find_last_not_of(" \n");
  if (brace == std::string::npos || text[brace] != '}') return text;
  if (brace == 0 || text.find_last_not_of(" \n", brace - 1) == std::string::npos) return text;
  if (text.find_last_not_of(" \n", brace - 1) == 0) return text;
  return io::sealed_json(text);
}

/// Takes `size` bytes off the front as a number; false where there are too few.
template <class Integer>
bool skip(std::string_view bytes, std::size_t& at, Integer& value) {
  if (bytes.size() - at < sizeof value) return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
  return true;
}
bool skip_text(std::string_view bytes, std::size_t& at) {
  std::uint32_t size = 0;
  if (!skip(bytes, at, size) || bytes.size() - at < size) return false;
  at += size;
  return true;
}

/// A trace (io/trace_file.cpp) whose checksums, chunks 4 and 5, are those of the bytes before them.
std::string trace_with_checksums(std::string_view bytes) {
  std::string file(bytes);
  std::size_t at = 12;  // magic word and version
  std::uint32_t attributes = 0;
  if (file.size() < at || !skip(file, at, attributes)) return file;
  for (std::uint64_t texts = 2 * std::uint64_t{attributes} + 1; texts > 0; --texts) {
    if (!skip_text(file, at)) return file;
  }
  while (at < file.size()) {
    auto const begin = at;
    std::uint8_t kind = 0;
    std::uint32_t size = 0;
    if (!skip(file, at, kind) || !skip(file, at, size) || file.size() - at < size) return file;
    if ((kind == 4 || kind == 5) && size == sizeof(std::uint64_t)) {
      io::StreamHash hash;
      hash.add(std::string_view{file}.substr(0, begin));
      auto const value = hash.value();
      std::memcpy(file.data() + at, &value, sizeof value);
    }
    at += size;
  }
  return file;
}

/// Asks for keys of every kind, as a core does, whatever the case is of.
void read_case(fs::path const& path) {
  auto const case_file = io::CaseFile::load(path);
  auto const tried = [](auto const& read) {
    try {
      read();
    } catch (InputError const&) {  // one key does not hide the next
    }
  };
  tried([&] { (void)case_file.core(); });
  tried([&] { (void)case_file.name(); });
  tried([&] { (void)case_file.integer("grid.nx", 8, 1, 1000); });
  tried([&] { (void)case_file.number("time.step", 1.0, 0, 1e6); });
  tried([&] { (void)case_file.duration("time.end", "1 h"); });
  tried([&] { (void)case_file.flag("output.coefficients", false); });
  tried([&] { (void)case_file.numbers("grid.levels", {}); });
  tried([&] { (void)case_file.texts("verify.runs", {}); });
  tried([&] { (void)case_file.choice("seaice.limiter", "none", {"none", "nextsim"}); });
  tried([&] { (void)case_file.file("input.file", false); });
  (void)case_file.resolved();
  case_file.reject_unknown();
}

void read_netcdf(fs::path const& path) {
  io::InputFile const file(path);
  constexpr std::int64_t most_values = 1 << 16;
  for (auto const& name : file.variables()) {
    try {
      auto const info = file.info(name);
      (void)file.time_axis(name);
      (void)file.times(name);
      (void)file.spacings(name);
      (void)file.coordinates(name);
      (void)file.auxiliary_coordinates(name);
      for (auto const& box : file.boxes(name, most_values)) {
        std::vector<double> values(static_cast<std::size_t>(box.size()));
        std::vector<double> low(file.wide_integer(name) ? values.size() : 0);
        file.read(name, -1, box, values, low);
        if (auto const measure = file.cell_measure(name)) file.read_weights(*measure, box, values);
        break;
      }
    } catch (InputError const&) {  // one variable does not hide the next
    }
  }
  // What two files make of each other is slower, and has less of its own to fail.
  if (std::filesystem::file_size(path) % 16 == 0) {
    (void)verification::to_json(verification::compare(file, file, {}, true, most_values), true);
  }
}

void read_trace(fs::path const& path) {
  auto const trace = io::read_trace(path);
  auto shorter = trace;
  if (!shorter.records.empty()) shorter.records.pop_back();
  if (auto const divergence = verification::first_divergence(trace, shorter)) {
    (void)verification::describe(*divergence);
  }
}

constexpr FileReader readers[] = {
    {"netcdf", "file.nc", as_it_is, read_netcdf},
    {"toml", "case.toml", as_it_is, read_case},
    {"manifest", "manifest.json", sealed_object,
     [](fs::path const& path) { (void)ensembles::read_manifest(path.parent_path()); }},
    {"results", "results.json", sealed_object,
     [](fs::path const& path) { (void)verification::to_json(verification::read_results(path)); }},
    {"trace", "trace.bin", trace_with_checksums, read_trace},
};

}  // namespace

FileReader const& file_reader(std::string const& name) {
  auto const found = std::ranges::find_if(readers, [&](auto const& reader) { return name == reader.name; });
  if (found != std::end(readers)) return *found;
  throw InputError("no reader '" + name +
                   "' (netcdf, toml, manifest, results and trace are there) choose one");
}

}  // namespace ulpine::fuzz
