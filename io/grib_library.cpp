// SPDX-License-Identifier: Apache-2.0
#include "io/grib_library.hpp"

#include <dlfcn.h>

#include <cmath>

#include "io/foreign_reader.hpp"

namespace ulpine::io {
namespace {

using Handle = void;
constexpr long missing_integer = 2147483647;  // GRIB_MISSING_LONG of eccodes.h
constexpr double missing_number = -1e100;     // GRIB_MISSING_DOUBLE

/// The functions of ecCodes that are used here, as eccodes.h declares them; each gives 0 where it succeeds.
struct Functions {
  Functions() {
    auto* library = dlopen("libeccodes.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libeccodes.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    complete = true;
    find(library, "codes_handle_new_from_message", open);
    find(library, "codes_handle_delete", close);
    find(library, "codes_get_long", get_integer);
    find(library, "codes_get_double", get_number);
    find(library, "codes_get_string", get_text);
    find(library, "codes_get_size", get_size);
    find(library, "codes_get_double_array", get_numbers);
    find(library, "codes_set_double", set_number);
    find(library, "codes_set_string", set_text);
    find(library, "codes_get_error_message", message);
    find(library, "codes_get_api_version", version);
  }
  bool complete = false;

  Handle* (*open)(void* context, void const* data, std::size_t size) = nullptr;
  int (*close)(Handle*) = nullptr;
  int (*get_integer)(Handle const*, char const*, long*) = nullptr;
  int (*get_number)(Handle const*, char const*, double*) = nullptr;
  int (*get_text)(Handle const*, char const*, char*, std::size_t*) = nullptr;
  int (*get_size)(Handle const*, char const*, std::size_t*) = nullptr;
  int (*get_numbers)(Handle const*, char const*, double*, std::size_t*) = nullptr;
  int (*set_number)(Handle*, char const*, double) = nullptr;
  int (*set_text)(Handle*, char const*, char const*, std::size_t*) = nullptr;
  char const* (*message)(int) = nullptr;
  long (*version)() = nullptr;

 private:
  template <class Function>
  void find(void* library, char const* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    complete = complete && function != nullptr;
  }
};

Functions const& eccodes() {
  static Functions const functions;
  return functions;
}

}  // namespace

std::string eccodes_version() {
  if (!eccodes().complete) return {};
  auto const version = eccodes().version();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void GribMessage::Deleter::operator()(void* handle) const { eccodes().close(handle); }

GribMessage::GribMessage(std::string_view bytes) {
  if (!eccodes().complete) {
    throw LackingMeans(
        "(GRIB is read by the library ecCodes, which is not installed) install libeccodes0, as Debian and "
        "Ubuntu "
        "call it");
  }
  handle_.reset(eccodes().open(nullptr, bytes.data(), bytes.size()));
  if (handle_ == nullptr) throw NetcdfFailure("ecCodes does not understand a message of it");
}

std::optional<long> GribMessage::integer(char const* key) const {
  long value = 0;
  if (eccodes().get_integer(handle_.get(), key, &value) != 0 || value == missing_integer) return {};
  return value;
}

std::optional<double> GribMessage::number(char const* key) const {
  double value = 0;
  if (eccodes().get_number(handle_.get(), key, &value) != 0 || value == missing_number) return {};
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::string GribMessage::text(char const* key) const {
  char text[512] = {};
  auto size = sizeof text - 1;
  if (eccodes().get_text(handle_.get(), key, text, &size) != 0) return {};
  return text;
}

std::vector<double> GribMessage::numbers(char const* key, std::size_t size) const {
  auto const require = [&](int status) {
    if (status != 0) throw NetcdfFailure(std::string("ecCodes: ") + eccodes().message(status));
  };
  std::size_t there = 0;
  require(eccodes().get_size(handle_.get(), key, &there));
  if (there != size) {
    throw NetcdfFailure("a message has " + std::to_string(there) + " values on a grid of " +
                        std::to_string(size) + " points");
  }
  std::vector<double> values(size);
  require(eccodes().get_numbers(handle_.get(), key, values.data(), &there));
  if (there != size) throw NetcdfFailure("a message has fewer values than it says");
  return values;
}

void GribMessage::set_step_unit(char const* unit) {
  std::size_t size = std::char_traits<char>::length(unit);
  eccodes().set_text(handle_.get(), "stepUnits", unit, &size);
}

void GribMessage::set_missing_value(double value) {
  eccodes().set_number(handle_.get(), "missingValue", value);
}

}  // namespace ulpine::io
