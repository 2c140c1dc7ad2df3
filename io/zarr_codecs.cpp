// SPDX-License-Identifier: Apache-2.0
#include "io/zarr_codecs.hpp"

#include <dlfcn.h>

#include "io/foreign_reader.hpp"
#include "io/gunzip.hpp"

namespace ulpine::io {
namespace {

/// The functions of c-blosc that are used here, as blosc.h declares them, found at run time.
struct Blosc {
  Blosc() {
    auto* library = dlopen("libblosc.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libblosc.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    complete = true;
    find(library, "blosc_cbuffer_validate", validate);
    find(library, "blosc_decompress_ctx", decompress);
    find(library, "blosc_get_version_string", version);
  }
  bool complete = false;
  int (*validate)(void const* packed, std::size_t bytes, std::size_t* unpacked) = nullptr;
  int (*decompress)(void const* packed, void* target, std::size_t size, int threads) = nullptr;
  char const* (*version)() = nullptr;

 private:
  template <class Function>
  void find(void* library, char const* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    complete = complete && function != nullptr;
  }
};

Blosc const& blosc() {
  static Blosc const library;
  return library;
}

std::string unpacked_by_blosc(std::string const& packed, std::size_t size) {
  if (!blosc().complete) {
    throw LackingMeans(
        "(its chunks are packed by Blosc, whose library is not installed) install Debian's or Ubuntu's "
        "libblosc1");
  }
  std::size_t promised = 0;
  if (blosc().validate(packed.data(), packed.size(), &promised) != 0 || promised != size) {
    throw NetcdfFailure("a chunk is not of the size that its array says");
  }
  std::string bytes(size, '\0');
  if (blosc().decompress(packed.data(), bytes.data(), size, 1) != static_cast<int>(size)) {
    throw NetcdfFailure("a chunk that Blosc had packed is damaged");
  }
  return bytes;
}

}  // namespace

std::string blosc_version() { return blosc().complete ? blosc().version() : ""; }

std::string unpacked_chunk(ZarrCodec codec, std::string packed, std::size_t size) {
  if (codec == ZarrCodec::blosc) return unpacked_by_blosc(packed, size);
  if (codec == ZarrCodec::zlib) return inflated(packed, size);
  if (packed.size() != size) throw NetcdfFailure("a chunk is not of the size that its array says");
  return packed;
}

std::string unshuffled(std::string const& bytes, std::size_t element) {
  if (element < 2) return bytes;
  auto result = bytes;
  auto const count = bytes.size() / element;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t byte = 0; byte < element; ++byte) result[i * element + byte] = bytes[byte * count + i];
  }
  return result;
}

}  // namespace ulpine::io
