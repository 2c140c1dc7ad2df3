// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/out_of_core/out_of_core.hpp"

#include <algorithm>
#include <cstring>

#include "io/error.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <unistd.h>
#endif

namespace ulpine::detail {
namespace {

/// Rows of bytes from one place to another, by the threads of `host`.
void copy_rows(Host host, std::byte* target, std::int64_t target_pitch, std::byte const* source,
               std::int64_t source_pitch, std::int64_t width, std::int64_t rows) {
  constexpr std::int64_t piece = 1 << 16;  // bytes: long rows are shared among threads too
  auto const pieces = (width + piece - 1) / piece;
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int64_t n = 0; n < rows * pieces; ++n) {
    auto const row = n / pieces, begin = n % pieces * piece;
    std::memcpy(target + row * target_pitch + begin, source + row * source_pitch + begin,
                static_cast<std::size_t>(std::min(piece, width - begin)));
  }
}

/// The parts that are copied in, to `memory` laid out as the tile's.
void pack(Host host, Tile const& tile, std::byte* memory) {
  for (auto const& part : tile.parts) {
    if (part.use == ArrayUse::out) continue;
    copy_rows(host, memory + (part.data - tile.memory), part.width, part.host, part.host_pitch, part.width,
              part.rows);
  }
}

/// Those that are copied out, from memory where the first of them begins at `results`.
void unpack(Host host, Tile const& tile, std::byte const* results) {
  for (auto const& part : tile.parts) {
    if (part.use == ArrayUse::in) continue;
    copy_rows(host, part.host, part.host_pitch, results + (part.data - tile.memory - tile.out_begin),
              part.width, part.width, part.rows);
  }
}

}  // namespace

void TileSlot<Host>::fetch(Tile const& tile) const { pack(host_, tile, tile.memory); }
void TileSlot<Host>::store(Tile const& tile) const { unpack(host_, tile, tile.memory + tile.out_begin); }

#if defined(ULPINE_HAS_CUDA)

TileSlot<Cuda>::TileSlot(Cuda cuda, TilePlan const& plan, Tiling const& tiling)
    : packing_{tiling.threads},
      stream_{cuda.ordinal, cuda.block},
      memory_{stream_.executor(), plan.slot_bytes()} {
  if (tiling.transfers == Transfers::staged) {
    in_ = std::make_unique<PinnedBuffer>(executor(), plan.slot_in_bytes());
    out_ = std::make_unique<PinnedBuffer>(executor(), plan.slot_out_bytes());
  }
}

void TileSlot<Cuda>::fetch(Tile const& tile) {
  if (in_ != nullptr) {
    pack(packing_, tile, static_cast<std::byte*>(in_->data()));
    copy_to_device_async(executor(), tile.memory, *in_, tile.in_bytes);
    return;
  }
  for (auto const& part : tile.parts) {
    if (part.use == ArrayUse::out) continue;
    copy_rows_to_device_async(executor(), part.data, {part.host, part.width, part.rows, part.host_pitch});
  }
}

void TileSlot<Cuda>::store(Tile const& tile) {
  if (out_ != nullptr) {
    copy_to_host_async(executor(), *out_, tile.memory + tile.out_begin, tile.out_bytes);
    stored_ = tile;
    return;
  }
  for (auto const& part : tile.parts) {
    if (part.use == ArrayUse::in) continue;
    copy_rows_to_host_async(executor(), {part.host, part.width, part.rows, part.host_pitch}, part.data);
  }
}

void TileSlot<Cuda>::make_ready() {
  if (stored_) {
    // What went in before has been copied then too, so that its buffer may be filled again.
    out_->wait();
    unpack(packing_, *stored_, static_cast<std::byte const*>(out_->data()));
    stored_.reset();
  }
}

void TileSlot<Cuda>::finish() {
  make_ready();
  synchronize(executor());
}

void TileSlot<Cuda>::abandon() noexcept {
  stored_.reset();
  try {
    synchronize(executor());
  } catch (EnvironmentError const&) {
    // The device has failed and copies nothing any more; the caller passes on what it was told first.
  }
}

std::vector<PageLock> lock_pages(Cuda cuda, TilePlan const& plan) {
  struct Pages {
    std::uintptr_t begin, end;
  };
  auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<Pages> all;
  for (auto const& array : plan.arrays()) {
    if (page_locked(cuda, array.data) && page_locked(cuda, array.data + array.bytes() - 1)) continue;
    auto const begin = reinterpret_cast<std::uintptr_t>(array.data);
    auto const end = begin + static_cast<std::uintptr_t>(array.bytes());
    all.push_back({begin / page * page, (end + page - 1) / page * page});
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  // Small arrays may lie on the same page, which can be locked only once.
  std::vector<Pages> apart;
  for (auto const& pages : all) {
    if (!apart.empty() && pages.begin < apart.back().end) {
      apart.back().end = std::max(apart.back().end, pages.end);
    } else {
      apart.push_back(pages);
    }
  }
  std::vector<PageLock> locks;
  for (auto const& [begin, end] : apart) {
    locks.emplace_back(cuda, reinterpret_cast<void*>(begin), static_cast<std::int64_t>(end - begin));
  }
  return locks;
}

#endif

}  // namespace ulpine::detail
