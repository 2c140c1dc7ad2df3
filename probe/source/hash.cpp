// SPDX-License-Identifier: Apache-2.0
#include "probe/source/hash.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/field/hash.hpp"
#include "io/trace_file.hpp"

#if defined(__x86_64__)
#define ULPINE_PROBE_AVX2 __attribute__((target("avx2")))
// Vectors of 256 bits: older processors lower their clock for those of 512.
#define ULPINE_PROBE_AVX512 __attribute__((target("avx2,avx512f,avx512dq,avx512vl")))
#endif

namespace ulpine::probe {
namespace {

enum class Kind { integer, floating, floating_zeros_equal };

/// One or more words of 64 bits; operations are on each.
template <int lanes>
struct Vectors {
  using Words [[gnu::vector_size(8 * lanes)]] = std::uint64_t;
  using Signed [[gnu::vector_size(8 * lanes)]] = std::int64_t;
  using Halves [[gnu::vector_size(4 * lanes)]] = std::uint32_t;
};

constexpr std::uint64_t key_factor = 0x9e3779b97f4a7c15ull;

/// The sum of detail::mix(bits ^ detail::index_key(index)) over consecutive indices and words. The key's
/// product with the index is kept by additions. Inlined into functions of several targets.
template <int lanes, Kind kind, class Word>
[[gnu::always_inline]] inline std::uint64_t sum_of_hashes(std::byte const* words, std::int64_t count,
                                                          std::int64_t index) {
  using Words = typename Vectors<lanes>::Words;
  using Signed = typename Vectors<lanes>::Signed;
  using Loaded = std::conditional_t<sizeof(Word) == 8, Words, typename Vectors<lanes>::Halves>;
  constexpr std::int64_t magnitude = sizeof(Word) == 8 ? 0x7fffffffffffffffll : 0x7fffffffll;
  constexpr std::int64_t infinity = sizeof(Word) == 8 ? 0x7ff0000000000000ll : 0x7f800000ll;
  constexpr std::uint64_t nan = sizeof(Word) == 8 ? 0x7ff8000000000000ull : 0x7fc00000ull;
  Words product, sum = {};
  for (int lane = 0; lane < lanes; ++lane)
    product[lane] = (static_cast<std::uint64_t>(index + lane) + 1) * key_factor;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Loaded loaded;
    std::memcpy(&loaded, words + i * static_cast<std::int64_t>(sizeof(Word)), sizeof loaded);
    auto x = __builtin_convertvector(loaded, Words);
    if constexpr (kind != Kind::integer) {
      auto const size = __builtin_convertvector(x, Signed) & magnitude;
      x = size > infinity ? Words{} + nan : x;
      if constexpr (kind == Kind::floating_zeros_equal) x = size == 0 ? Words{} : x;
    }
    x ^= product ^ (product >> 32);
    product += key_factor * lanes;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    sum += x ^ (x >> 31);
  }
  std::uint64_t total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  for (; i < count; ++i) {
    Word bits;
    std::memcpy(&bits, words + i * static_cast<std::int64_t>(sizeof(Word)), sizeof bits);
    if constexpr (kind == Kind::integer) {
      total += detail::mix(bits ^ detail::index_key(index + i));
    } else {
      if (kind == Kind::floating_zeros_equal && (bits & static_cast<Word>(magnitude)) == 0) bits = 0;
      total += detail::element_hash(index + i, bits);
    }
  }
  return total;
}

using Sum = std::uint64_t (*)(std::byte const*, std::int64_t, std::int64_t);

template <Kind kind, class Word>
std::uint64_t scalar_sum(std::byte const* words, std::int64_t count, std::int64_t index) {
  return sum_of_hashes<1, kind, Word>(words, count, index);
}
#if defined(__x86_64__)
template <Kind kind, class Word>
ULPINE_PROBE_AVX2 std::uint64_t avx2_sum(std::byte const* words, std::int64_t count, std::int64_t index) {
  return sum_of_hashes<4, kind, Word>(words, count, index);
}
template <Kind kind, class Word>
ULPINE_PROBE_AVX512 std::uint64_t avx512_sum(std::byte const* words, std::int64_t count, std::int64_t index) {
  return sum_of_hashes<4, kind, Word>(words, count, index);
}
#endif

template <Kind kind, class Word>
Sum sum_by(HashPath path) {
#if defined(__x86_64__)
  if (path == HashPath::avx512) return avx512_sum<kind, Word>;
  if (path == HashPath::avx2) return avx2_sum<kind, Word>;
#endif
  return scalar_sum<kind, Word>;
}

/// Adds lines of elements of type `Stored`, hashed as `Word`.
template <class Stored, class Word, Kind kind, bool truth>
class Hasher {
 public:
  Hasher(BlockSums& sums, HashPath path) : sums_{sums}, sum_{sum_by<kind, Word>(path)} {}

  void operator()(Line const& line) {
    if (line.numbers != nullptr || line.index_step != 1) {
      scattered(line);
    } else if (std::is_same_v<Stored, Word> && !truth && line.stride == sizeof(Word)) {
      consecutive(line.data, line.count, line.first_index);
    } else {
      packed(line);
    }
  }

 private:
  static Word word_at(std::byte const* address) {
    Stored value;
    std::memcpy(&value, address, sizeof value);
    if constexpr (truth) {
      return value != 0 ? 1 : 0;
    } else {
      return static_cast<Word>(value);
    }
  }
  /// Words that lie one after the other, by blocks.
  void consecutive(std::byte const* words, std::int64_t count, std::int64_t index) {
    while (count > 0) {
      auto const next = ((index >> sums_.shift()) + 1) << sums_.shift();
      auto const n = std::min(count, next - index);
      sums_.add(index, sum_(words, n, index));
      words += n * static_cast<std::int64_t>(sizeof(Word));
      index += n;
      count -= n;
    }
  }
  void packed(Line const& line) {
    constexpr std::int64_t most = 512;
    std::array<Word, most> words;
    for (std::int64_t done = 0; done < line.count; done += most) {
      auto const n = std::min(most, line.count - done);
      auto const* address = line.data + done * line.stride;
      for (std::int64_t i = 0; i < n; ++i, address += line.stride)
        words[static_cast<std::size_t>(i)] = word_at(address);
      consecutive(reinterpret_cast<std::byte const*>(words.data()), n, line.first_index + done);
    }
  }
  void scattered(Line const& line) {
    auto const* address = line.data;
    for (std::int64_t i = 0; i < line.count; ++i, address += line.stride) {
      auto const index = line.first_index + (line.numbers == nullptr ? i : line.numbers[i]) * line.index_step;
      auto const word = word_at(address);
      sums_.add(index, scalar_sum<kind, Word>(reinterpret_cast<std::byte const*>(&word), 1, index));
    }
  }

  BlockSums& sums_;
  Sum sum_;
};

template <class Stored, class Word, Kind kind, bool truth = false>
void add_lines(Lines const& lines, BlockSums& sums, HashPath path) {
  lines.for_each(Hasher<Stored, Word, kind, truth>(sums, path));
}

}  // namespace

BlockSums::BlockSums(std::int64_t count) {
  auto const size = io::trace_block_size(count);
  while (size >> shift_ > 1) ++shift_;
  blocks_ = (count + size - 1) / size;
}

bool has(HashPath path) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (path == HashPath::avx2) return __builtin_cpu_supports("avx2") != 0;
  if (path == HashPath::avx512) {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return path == HashPath::scalar;
}

HashPath best_hash_path() {
  static auto const best = has(HashPath::avx512) ? HashPath::avx512
                           : has(HashPath::avx2) ? HashPath::avx2
                                                 : HashPath::scalar;
  return best;
}

void add_hashes(Part const& part, BlockSums& sums, bool zeros_equal, HashPath path) {
  Lines const lines(part);
  using std::uint32_t, std::uint64_t;
  constexpr auto floating = Kind::floating, zeros = Kind::floating_zeros_equal, integer = Kind::integer;
  switch (part.type) {
    case ULPINE_F32:
      return zeros_equal ? add_lines<uint32_t, uint32_t, zeros>(lines, sums, path)
                         : add_lines<uint32_t, uint32_t, floating>(lines, sums, path);
    case ULPINE_F64:
      return zeros_equal ? add_lines<uint64_t, uint64_t, zeros>(lines, sums, path)
                         : add_lines<uint64_t, uint64_t, floating>(lines, sums, path);
    case ULPINE_I8:
      return add_lines<std::int8_t, uint32_t, integer>(lines, sums, path);
    case ULPINE_I16:
      return add_lines<std::int16_t, uint32_t, integer>(lines, sums, path);
    case ULPINE_I32:
      return add_lines<uint32_t, uint32_t, integer>(lines, sums, path);
    case ULPINE_I64:
      return add_lines<uint64_t, uint64_t, integer>(lines, sums, path);
    case ULPINE_L8:
      return add_lines<std::uint8_t, uint32_t, integer, true>(lines, sums, path);
    case ULPINE_L32:
      return add_lines<uint32_t, uint32_t, integer, true>(lines, sums, path);
    case ULPINE_L64:
      return add_lines<uint64_t, uint32_t, integer, true>(lines, sums, path);
    case ULPINE_C32:
    case ULPINE_C64:  // a part has their two numbers apart
      break;
  }
}

}  // namespace ulpine::probe
