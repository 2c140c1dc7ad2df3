// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ulpine::io {

/// How the chunks of a Zarr array are packed, by the names of numcodecs.
enum class ZarrCodec { none, blosc, zlib };

/// Unpacks a chunk to exactly `size` bytes. NetcdfFailure; LackingMeans where there is no Blosc.
std::string unpacked_chunk(ZarrCodec codec, std::string packed, std::size_t size);

/// Undoes the filter `shuffle`, which puts the first bytes of all elements before their second ones.
std::string unshuffled(std::string const& bytes, std::size_t element);

/// Version of the library Blosc ("1.21.3"); empty where there is none.
std::string blosc_version();

}  // namespace ulpine::io
