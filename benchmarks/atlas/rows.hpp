// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ulpine::atlas {

/// What two results have in common, element by element; the parts of a complex number are two elements.
struct Compared {
  std::int64_t elements = 0, unlike = 0;
  double ulps = 0;  ///< the largest distance in units in the last place; infinite where one alone is NaN
  std::uint64_t hash = 0, changed_hash = 0;  ///< of the first result and of the other
};

/// 64 bits that tell arrays apart: each word of 8 bytes is mixed in by the finaliser of splitmix64.
std::uint64_t hash_of(void const* data, std::size_t bytes);

/// The distance of two numbers in units in the last place: 0 for the same bits and between NaNs, 1 between -0
/// and +0, infinite where one alone is NaN. Of integers the difference.
template <class T>
double ulps_between(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a > b ? static_cast<double>(a) - static_cast<double>(b)
                 : static_cast<double>(b) - static_cast<double>(a);
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if (a != a || b != b) return (a != a) == (b != b) ? 0 : std::numeric_limits<double>::infinity();
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    auto const place = [](T x) {  // bits in the order of the numbers that they stand for
      Word word;
      std::memcpy(&word, &x, sizeof word);
      auto const magnitude = static_cast<std::int64_t>(word & (std::numeric_limits<Word>::max() >> 1));
      return word == static_cast<Word>(magnitude) ? magnitude : -magnitude - 1;
    };
    auto const x = place(a), y = place(b);
    auto const apart =
        (x < 0) == (y < 0) ? static_cast<double>(x - y) : static_cast<double>(x) - static_cast<double>(y);
    return apart < 0 ? -apart : apart;
  }
}

/// Compares arrays of the same length by their bits. logic_error where the lengths differ.
template <class T>
Compared compare(std::vector<T> const& first, std::vector<T> const& changed) {
  if (first.size() != changed.size()) throw std::logic_error("results of different lengths are compared");
  Compared found{static_cast<std::int64_t>(first.size()), 0, 0,
                 hash_of(first.data(), first.size() * sizeof(T)),
                 hash_of(changed.data(), changed.size() * sizeof(T))};
  if (found.hash == found.changed_hash &&
      std::memcmp(first.data(), changed.data(), first.size() * sizeof(T)) == 0) {
    return found;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::memcmp(&first[i], &changed[i], sizeof(T)) == 0) continue;
    ++found.unlike;
    auto const ulps = ulps_between(first[i], changed[i]);
    if (ulps > found.ulps) found.ulps = ulps;
  }
  return found;
}

/// The further of two findings about the same first result.
Compared worse(Compared const& a, Compared const& b);

/// Compares a first result with what each of `runs` further calls of `compute` gives; the furthest of them.
template <class T>
Compared compare_runs(std::vector<T> const& first, int runs, std::function<std::vector<T>()> const& compute) {
  auto found = compare(first, first);
  for (int run = 0; run < runs; ++run) found = worse(found, compare(first, compute()));
  return found;
}

/// What is asked: of a building block in a library, what was varied and how.
struct Question {
  std::string library;  ///< "cuFFT"
  std::string block;    ///< "Z2Z 384"
  std::string varied;   ///< one word of a fixed list, by which changes between runs find rows: "batch"
  std::string change;   ///< "batches of 2, 16 and 512 against 1"
};

/// Writes rows as lines of JSON to standard output as they are measured.
class Rows {
 public:
  /// `machine` is the card or the processor, `driver` the CUDA driver's version or empty, `command` the call.
  Rows(std::string machine, std::string driver, std::string command);

  /// The version that rows of a library carry from now on, "12.0.0".
  void version(std::string const& library, std::string const& version);

  /// Writes a row.
  void add(Question const& question, Compared const& found);

  /// Calls `work`; where it throws, says on both outputs that this was not measured and why.
  void measure(std::string const& what, std::function<void()> const& work);

  /// Says that something was not measured.
  void not_measured(std::string const& what, std::string const& why);

  /// The group of rows that a call of the program can be restricted to.
  void group(std::string const& name) { group_ = name; }

  int count() const { return count_; }

 private:
  std::string machine_, driver_, command_, group_, run_;
  std::vector<std::pair<std::string, std::string>> versions_;
  int count_ = 0;
};

/// Numbers of a fixed seed: splitmix64 (Steele, Lea and Flood 2014), of which the highest bits are taken.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    auto z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in (0, 1) with a full mantissa.
  template <class T>
  T positive() {
    if constexpr (sizeof(T) == 8) return (static_cast<T>(next() >> 12) + T(0.5)) * T(0x1p-52);
    return (static_cast<T>(next() >> 41) + T(0.5)) * T(0x1p-23);
  }
  /// Uniform in (-1, 1) with a full mantissa.
  template <class T>
  T uniform() {
    auto const sign = (next() & 1) != 0;
    auto const x = positive<T>();
    return sign ? -x : x;
  }

 private:
  std::uint64_t state_;
};

/// `count` numbers uniform in (-1, 1).
template <class T>
std::vector<T> uniform(std::int64_t count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = generator.uniform<T>();
  return values;
}

/// The bytes that this program wrote when it was called with `arguments` and a path, under `environment`
/// ("NAME=VALUE ..."). runtime_error where it failed.
std::vector<char> child(std::string const& environment, std::string const& arguments);

/// Bytes as numbers.
template <class T>
std::vector<T> numbers(std::vector<char> const& bytes, std::size_t first, std::size_t count) {
  if ((first + count * sizeof(T)) > bytes.size())
    throw std::runtime_error("a child process wrote too little");
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data() + first, count * sizeof(T));
  return values;
}

/// `text` with what JSON escapes.
std::string escaped(std::string const& text);

}  // namespace ulpine::atlas
