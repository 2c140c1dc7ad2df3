// SPDX-License-Identifier: Apache-2.0
#include "core/model/modules.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "io/error.hpp"
#include "ulpine_version.hpp"

namespace ulpine {
namespace {

namespace fs = std::filesystem;

/// The folder that the program lies in.
fs::path program_folder() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed).parent_path();
}

/// How to build a part: in the folder that the program was built in, or where it was installed from.
std::string remedy(std::string const& part) {
  auto const build = program_folder().parent_path();
  std::error_code failed;
  return fs::exists(build / "CMakeCache.txt", failed)
             ? "build it: cmake --build " + build.string() + " --target ulpine_" + part
             : "build the target ulpine_" + part + " where the program was built, and install again";
}

/// Whether a file of ELF ends before what its headers place in it: its segments and the tables of segments
/// and sections, the last of which linkers write at the end. To open it would be a bus error. Not of other
/// files, which dlopen() refuses.
bool cut_short(fs::path const& file) {
  std::error_code failed;
  std::uint64_t const size = fs::file_size(file, failed);
  auto const beyond = [size](std::uint64_t first, std::uint64_t bytes) {
    return first > size || bytes > size - first;
  };
  std::ifstream in(file, std::ios::binary);
  ElfW(Ehdr) header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  auto const bytes = segments.size() * sizeof segments.front();
  if (beyond(header.e_phoff, bytes)) return true;
  if (beyond(header.e_shoff, std::uint64_t(header.e_shnum) * header.e_shentsize)) return true;
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  in.read(reinterpret_cast<char*>(segments.data()), static_cast<std::streamsize>(bytes));
  return std::ranges::any_of(segments, [&](auto const& of) { return beyond(of.p_offset, of.p_filesz); });
}

/// The part that a module holds.
Instance const* opened(std::string const& part) {
  auto const file = (program_folder() / ULPINE_MODULES_FROM_PROGRAM / (part + ".so")).lexically_normal();
  auto const refuse = [&](std::string const& what, std::string const& why) {
    throw EnvironmentError(file.string() + ": " + what + " (" + one_line(why) + ") " + remedy(part));
  };
  std::error_code failed;
  if (!fs::exists(file, failed)) refuse("this part of the program is missing", "it was not built");
  if (cut_short(file)) refuse("this part of the program is cut short", "its headers tell of more bytes");
  auto* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) refuse("this part of the program cannot be opened", dlerror());
  auto const* const commit = static_cast<char const* const*>(dlsym(module, "ulpine_module_commit"));
  auto const* const instances = static_cast<Instance const*>(dlsym(module, ("ulpine_" + part).c_str()));
  if (commit == nullptr || instances == nullptr) {
    refuse("this is no part of the program", "it lacks what each part says of itself");
  }
  if (std::string_view(*commit) != build::commit) {
    refuse("this part is not of the program that asks for it",
           std::string("it was built from commit ") + *commit + ", the program from " + build::commit);
  }
  return instances;
}

/// Opened once, whoever asks and on whichever thread.
Instance const* module_of(std::string const& part) {
  static std::mutex mutex;
  static std::map<std::string, Instance const*> known;
  std::lock_guard const lock(mutex);
  auto& instances = known[part];
  if (instances == nullptr) instances = opened(part);
  return instances;
}

}  // namespace

void (*detail::find_instance(char const* core, std::string const& part, std::string_view name,
                             std::span<LinkedPart const> linked))() {
  Instance const* instances = nullptr;
  for (auto const& one : linked) {
    if (part == one.name) instances = one.instances;
  }
  if (instances == nullptr) instances = module_of(core + ("_" + part));
  for (; instances->name != nullptr; ++instances) {
    if (name == instances->name) return instances->function;
  }
  throw std::logic_error("part " + part + " of core " + core + " has no " + std::string(name));
}

}  // namespace ulpine
