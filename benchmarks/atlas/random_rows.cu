// SPDX-License-Identifier: Apache-2.0
// Rows of cuRAND: the same sequence from the card, the host, in parts and by orderings.
#include <curand.h>
#include <curand_kernel.h>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

constexpr std::size_t count = 1000000;
constexpr unsigned long long seed = 1234;

class Generating {
 public:
  Generating(curandRngType_t type, bool on_host, int ordering = 0) {
    check((on_host ? curandCreateGeneratorHost : curandCreateGenerator)(&generator_, type),
          "curandCreateGenerator");
    check(curandSetPseudoRandomGeneratorSeed(generator_, seed), "curandSetPseudoRandomGeneratorSeed");
    if (ordering != 0)
      check(curandSetGeneratorOrdering(generator_, static_cast<curandOrdering_t>(ordering)),
            "curandSetGeneratorOrdering");
  }
  Generating(Generating const&) = delete;
  Generating& operator=(Generating const&) = delete;
  ~Generating() { curandDestroyGenerator(generator_); }
  operator curandGenerator_t() const { return generator_; }

 private:
  curandGenerator_t generator_ = nullptr;
};

enum class Law { uniform, normal };

void generate(curandGenerator_t generator, Law law, float* to, std::size_t n) {
  check(law == Law::uniform ? curandGenerateUniform(generator, to, n)
                            : curandGenerateNormal(generator, to, n, 0, 1),
        "curandGenerate");
}
void generate(curandGenerator_t generator, Law law, double* to, std::size_t n) {
  check(law == Law::uniform ? curandGenerateUniformDouble(generator, to, n)
                            : curandGenerateNormalDouble(generator, to, n, 0, 1),
        "curandGenerate");
}

/// `parts` calls that together give all numbers.
template <class T>
std::vector<T> numbers(curandRngType_t type, Law law, bool on_host, int ordering = 0, std::size_t parts = 1) {
  Generating const generator(type, on_host, ordering);
  if (on_host) {
    std::vector<T> values(count);
    generate(generator, law, values.data(), count);
    return values;
  }
  OnCard<T> values(count);
  for (std::size_t part = 0; part < parts; ++part)
    generate(generator, law, values.data() + part * (count / parts), count / parts);
  return values.get();
}

template <class T>
void rows_of(Rows& rows, std::string const& name, curandRngType_t type) {
  std::string const scalar = sizeof(T) == 8 ? "double" : "float";
  for (auto const law : {Law::uniform, Law::normal}) {
    auto const block = name + " " + (law == Law::uniform ? "uniform " : "normal ") + scalar;
    auto const first = numbers<T>(type, law, false);
    rows.measure(block + " on the host", [&] {
      rows.add({"cuRAND", block, "device", "the card's generator against the host's"},
               compare(numbers<T>(type, law, true), first));
    });
    rows.measure(block + " in two calls", [&] {
      rows.add({"cuRAND", block, "part", "two calls of 500000 against one of 1000000"},
               compare(first, numbers<T>(type, law, false, 0, 2)));
    });
    rows.add({"cuRAND", block, "arrival", "a second generator"},
             compare(first, numbers<T>(type, law, false)));
  }
}

void ordering_rows(Rows& rows, std::string const& name, curandRngType_t type) {
  auto const first = numbers<float>(type, Law::uniform, false, CURAND_ORDERING_PSEUDO_DEFAULT);
  rows.add({"cuRAND", name + " uniform float", "ordering", "none set against DEFAULT"},
           compare(first, numbers<float>(type, Law::uniform, false)));
  for (auto const& [word, ordering] : {std::pair{"LEGACY", CURAND_ORDERING_PSEUDO_LEGACY},
                                       {"BEST", CURAND_ORDERING_PSEUDO_BEST},
                                       {"DYNAMIC", CURAND_ORDERING_PSEUDO_DYNAMIC},
                                       {"SEEDED", CURAND_ORDERING_PSEUDO_SEEDED}}) {
    rows.measure(name + " " + word, [&, word = word, ordering = ordering] {
      rows.add({"cuRAND", name + " uniform float", "ordering", std::string(word) + " against DEFAULT"},
               compare(first, numbers<float>(type, Law::uniform, false, ordering)));
    });
  }
}

__global__ void four_of_philox(unsigned* raw, float* uniform) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, 0, 0, &state);
  auto const four = curand4(&state);
  raw[0] = four.x, raw[1] = four.y, raw[2] = four.z, raw[3] = four.w;
  curand_init(seed, 0, 0, &state);
  auto const numbers = curand_uniform4(&state);
  uniform[0] = numbers.x, uniform[1] = numbers.y, uniform[2] = numbers.z, uniform[3] = numbers.w;
}

void device_functions(Rows& rows) {
  OnCard<unsigned> raw(4);
  OnCard<float> uniforms(4);
  four_of_philox<<<1, 1>>>(raw.data(), uniforms.data());
  check(cudaGetLastError(), "four_of_philox");
  Generating const generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, false);
  OnCard<unsigned> by_library(4);
  check(curandGenerate(generator, by_library.data(), 4), "curandGenerate");
  rows.add(
      {"cuRAND", "Philox raw", "routine", "curand4 of subsequence 0 against elements 0 to 3 of the library"},
      compare(by_library.get(), raw.get()));
  auto const all = numbers<float>(CURAND_RNG_PSEUDO_PHILOX4_32_10, Law::uniform, false);
  rows.add({"cuRAND", "Philox uniform float", "routine",
            "curand_uniform4 of subsequence 0 against elements 0 to 3 of the library"},
           compare(std::vector<float>(all.begin(), all.begin() + 4), uniforms.get()));
}

}  // namespace

void random_rows(Rows& rows) {
  rows.version("cuRAND", version_by(curandGetProperty));
  for (auto const& [name, type] : {std::pair{"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                                   {"XORWOW", CURAND_RNG_PSEUDO_XORWOW},
                                   {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A}}) {
    rows.measure(name, [&, name = name, type = type] {
      rows_of<float>(rows, name, type);
      rows_of<double>(rows, name, type);
      ordering_rows(rows, name, type);
    });
  }
  rows.measure("device functions of cuRAND", [&] { device_functions(rows); });
}

}  // namespace ulpine::atlas
