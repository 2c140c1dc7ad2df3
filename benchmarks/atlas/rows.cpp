// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <unistd.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

namespace ulpine::atlas {

std::uint64_t hash_of(void const* data, std::size_t bytes) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes;
  auto const* const at = static_cast<char const*>(data);
  for (std::size_t i = 0; i < bytes; i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, bytes - i < sizeof word ? bytes - i : sizeof word);
    hash ^= word;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
  }
  return hash;
}

Compared worse(Compared const& a, Compared const& b) {
  auto further = b.unlike > a.unlike ? b : a;
  further.ulps = a.ulps > b.ulps ? a.ulps : b.ulps;
  return further;
}

std::vector<char> child(std::string const& environment, std::string const& arguments) {
  char path[] = "/tmp/atlas-XXXXXX";
  auto const file = mkstemp(path);
  if (file < 0) throw std::runtime_error("no temporary file");
  close(file);
  auto const command =
      environment + " timeout 120 /proc/" + std::to_string(getpid()) + "/exe " + arguments + " " + path;
  auto const status = std::system(command.c_str());
  std::ifstream input(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  std::remove(path);
  if (status != 0) throw std::runtime_error("a child process ended with status " + std::to_string(status));
  return bytes;
}

std::string escaped(std::string const& text) {
  std::string result;
  for (auto const c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result;
}

Rows::Rows(std::string machine, std::string driver, std::string command)
    : machine_(std::move(machine)), driver_(std::move(driver)), command_(std::move(command)) {
  std::random_device chance;  // a run's name: merge.py counts no run twice
  char name[24];
  std::snprintf(name, sizeof name, "%08x%08x", chance(), chance());
  run_ = name;
}

void Rows::version(std::string const& library, std::string const& version) {
  for (auto& [name, known] : versions_) {
    if (name == library) {
      known = version;
      return;
    }
  }
  versions_.emplace_back(library, version);
}

void Rows::add(Question const& question, Compared const& found) {
  std::string version;
  for (auto const& [name, known] : versions_) {
    if (name == question.library) version = known;
  }
  char date[16];
  auto const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
  auto const distance = std::isfinite(found.ulps) ? found.ulps : -1;  // JSON has no infinity
  std::printf(
      "{\"library\": \"%s\", \"version\": \"%s\", \"block\": \"%s\", \"varied\": \"%s\", \"change\": \"%s\", "
      "\"answer\": \"%s\", \"elements\": %" PRId64 ", \"unlike\": %" PRId64
      ", \"ulps\": %.17g, "
      "\"hash\": \"%016" PRIx64 "\", \"changed_hash\": \"%016" PRIx64
      "\", \"machine\": \"%s\", "
      "\"driver\": \"%s\", \"date\": \"%s\", \"command\": \"%s --only %s\", \"run\": \"%s\"}\n",
      escaped(question.library).c_str(), escaped(version).c_str(), escaped(question.block).c_str(),
      escaped(question.varied).c_str(), escaped(question.change).c_str(),
      found.unlike == 0 ? "same" : "other", found.elements, found.unlike, distance, found.hash,
      found.changed_hash, escaped(machine_).c_str(), escaped(driver_).c_str(), date, command_.c_str(),
      group_.c_str(), run_.c_str());
  std::fflush(stdout);
  ++count_;
}

void Rows::measure(std::string const& what, std::function<void()> const& work) {
  try {
    work();
  } catch (std::exception const& error) {
    not_measured(what, error.what());
  }
}

void Rows::not_measured(std::string const& what, std::string const& why) {
  std::fprintf(stderr, "not measured: %s (%s)\n", what.c_str(), why.c_str());
  std::printf("{\"not_measured\": \"%s\", \"why\": \"%s\", \"machine\": \"%s\"}\n", escaped(what).c_str(),
              escaped(why).c_str(), escaped(machine_).c_str());
  std::fflush(stdout);
}

}  // namespace ulpine::atlas
