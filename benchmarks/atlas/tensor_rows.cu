// SPDX-License-Identifier: Apache-2.0
// Rows of tensor-core instructions: order, rounding and subnormals of mma.sync, as PTX numbers its fragments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

/// Operands of one instruction as plain matrices, rows first: A (m x k), B (k x n), C and D (m x n).
struct Double4 {
  using Input = double;
  using Output = double;
  static constexpr int m = 8, n = 8, k = 4;
  static constexpr char const* name = "m8n8k4 f64";
  __device__ static void run(Input const* a, Input const* b, Output const* c, Output* d) {
    auto const group = threadIdx.x / 4, lane = threadIdx.x % 4;
    auto const at = group * n + lane * 2;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                 : "=d"(d[at]), "=d"(d[at + 1])
                 : "d"(a[group * k + lane]), "d"(b[lane * n + group]), "d"(c[at]), "d"(c[at + 1]));
  }
};
struct Double16 {
  using Input = double;
  using Output = double;
  static constexpr int m = 16, n = 8, k = 16;
  static constexpr char const* name = "m16n8k16 f64";
  __device__ static void run(Input const* a, Input const* b, Output const* c, Output* d) {
    auto const group = threadIdx.x / 4, lane = threadIdx.x % 4;
    double x[8], y[4];
    for (auto i = 0u; i < 8; ++i) x[i] = a[(group + i % 2 * 8) * k + i / 2 * 4 + lane];
    for (auto i = 0u; i < 4; ++i) y[i] = b[(i * 4 + lane) * n + group];
    auto const at = group * n + lane * 2, below = at + 8 * n;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
        "{%12,%13,%14,%15}, {%16,%17,%18,%19};"
        : "=d"(d[at]), "=d"(d[at + 1]), "=d"(d[below]), "=d"(d[below + 1])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]),
          "d"(y[1]), "d"(y[2]), "d"(y[3]), "d"(c[at]), "d"(c[at + 1]), "d"(c[below]), "d"(c[below + 1]));
  }
};
struct Tf32 {
  using Input = float;
  using Output = float;
  static constexpr int m = 16, n = 8, k = 8;
  static constexpr char const* name = "m16n8k8 tf32";
  __device__ static void run(Input const* a, Input const* b, Output const* c, Output* d) {
    auto const group = threadIdx.x / 4, lane = threadIdx.x % 4;
    auto const word = [](float x) { return __float_as_uint(x); };
    auto const at = group * n + lane * 2, below = at + 8 * n;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d[at]), "=f"(d[at + 1]), "=f"(d[below]), "=f"(d[below + 1])
        : "r"(word(a[group * k + lane])), "r"(word(a[(group + 8) * k + lane])),
          "r"(word(a[group * k + lane + 4])), "r"(word(a[(group + 8) * k + lane + 4])),
          "r"(word(b[lane * n + group])), "r"(word(b[(lane + 4) * n + group])), "f"(c[at]), "f"(c[at + 1]),
          "f"(c[below]), "f"(c[below + 1]));
  }
};

template <class Narrow>
struct Narrow16 {
  using Input = float;  ///< rounded to the narrow type on the way in
  using Output = float;
  static constexpr int m = 16, n = 8, k = 16;
  static constexpr bool bf16 = std::is_same_v<Narrow, __nv_bfloat16>;
  static constexpr char const* name = bf16 ? "m16n8k16 bf16" : "m16n8k16 half";
  __device__ static unsigned pair(float low, float high) {
    if constexpr (bf16) {
      auto const both = __floats2bfloat162_rn(low, high);
      return *reinterpret_cast<unsigned const*>(&both);
    } else {
      auto const both = __floats2half2_rn(low, high);
      return *reinterpret_cast<unsigned const*>(&both);
    }
  }
  __device__ static void run(Input const* a, Input const* b, Output const* c, Output* d) {
    auto const group = threadIdx.x / 4, lane = threadIdx.x % 4;
    unsigned x[4], y[2];
    for (auto i = 0u; i < 4; ++i) {
      auto const* const from = a + (group + i % 2 * 8) * k + lane * 2 + i / 2 * 8;
      x[i] = pair(from[0], from[1]);
    }
    for (auto i = 0u; i < 2; ++i) {
      auto const* const from = b + (lane * 2 + i * 8) * n + group;
      y[i] = pair(from[0], from[n]);
    }
    auto const at = group * n + lane * 2, below = at + 8 * n;
    if constexpr (bf16) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%10,%11,%12,%13};"
          : "=f"(d[at]), "=f"(d[at + 1]), "=f"(d[below]), "=f"(d[below + 1])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(c[at]), "f"(c[at + 1]),
            "f"(c[below]), "f"(c[below + 1]));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%10,%11,%12,%13};"
          : "=f"(d[at]), "=f"(d[at + 1]), "=f"(d[below]), "=f"(d[below + 1])
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "f"(c[at]), "f"(c[at + 1]),
            "f"(c[below]), "f"(c[below + 1]));
    }
  }
};
using Bf16 = Narrow16<__nv_bfloat16>;
using Half = Narrow16<__half>;

template <class Instruction>
__global__ void multiply(typename Instruction::Input const* a, typename Instruction::Input const* b,
                         typename Instruction::Output const* c, typename Instruction::Output* d) {
  auto constexpr m = Instruction::m, n = Instruction::n, k = Instruction::k;
  auto const which = blockIdx.x;
  Instruction::run(a + which * m * k, b + which * k * n, c + which * m * n, d + which * m * n);
}

template <class Instruction>
struct Operands {
  using Input = typename Instruction::Input;
  using Output = typename Instruction::Output;
  static constexpr int m = Instruction::m, n = Instruction::n, k = Instruction::k;
  std::vector<Input> a, b;
  std::vector<Output> c;

  explicit Operands(int count)
      : a(static_cast<std::size_t>(count) * m * k),
        b(static_cast<std::size_t>(count) * k * n),
        c(static_cast<std::size_t>(count) * m * n) {}

  std::vector<Output> product() const {
    OnCard<Input> const on_a(a), on_b(b);
    OnCard<Output> const on_c(c);
    OnCard<Output> d(c.size());
    multiply<Instruction>
        <<<static_cast<unsigned>(c.size() / (m * n)), 32>>>(on_a.data(), on_b.data(), on_c.data(), d.data());
    check(cudaGetLastError(), Instruction::name);
    return d.get();
  }
  /// The operands with the places along k in another order.
  Operands permuted(std::vector<int> const& order) const {
    auto other = *this;
    auto const count = c.size() / (m * n);
    for (std::size_t one = 0; one < count; ++one) {
      for (auto i = 0; i < m; ++i) {
        for (auto l = 0; l < k; ++l) other.a[(one * m + i) * k + l] = a[(one * m + i) * k + order[l]];
      }
      for (auto l = 0; l < k; ++l) {
        for (auto j = 0; j < n; ++j) other.b[(one * k + l) * n + j] = b[(one * k + order[l]) * n + j];
      }
    }
    return other;
  }
};

template <class Instruction>
Operands<Instruction> random_operands(int count) {
  Operands<Instruction> operands(count);
  Generator generator(81);
  auto const fill = [&](auto& values) {
    for (auto& value : values) value = generator.uniform<std::decay_t<decltype(value)>>();
  };
  fill(operands.a);
  fill(operands.b);
  fill(operands.c);
  return operands;
}

/// The chain of fused multiply-adds that starts from C, over k upwards or downwards.
template <class Instruction>
std::vector<typename Instruction::Output> chain(Operands<Instruction> const& x, bool upwards) {
  auto constexpr m = Instruction::m, n = Instruction::n, k = Instruction::k;
  auto d = x.c;
  for (std::size_t at = 0; at < d.size(); ++at) {
    auto const one = at / (m * n), i = at / n % m, j = at % n;
    for (std::size_t step = 0; step < k; ++step) {
      auto const l = upwards ? step : k - 1 - step;
      d[at] = std::fma(x.a[(one * m + i) * k + l], x.b[(one * k + l) * n + j], d[at]);
    }
  }
  return d;
}

template <class Instruction>
void order_rows(Rows& rows) {
  std::string const block = std::string("mma.sync ") + Instruction::name;
  auto const operands = random_operands<Instruction>(50);
  auto const first = operands.product();
  if constexpr (std::is_same_v<typename Instruction::Input, double>) {
    rows.add({"tensor cores", block, "definition",
              "the chain of fused multiply-adds over k = 0, 1, .. against the instruction"},
             compare(chain(operands, true), first));
    rows.add({"tensor cores", block, "definition",
              "the chain of fused multiply-adds over k downwards against the instruction"},
             compare(chain(operands, false), first));
  }
  std::vector<int> backwards, neighbours, halves, rotated;
  auto constexpr k = Instruction::k;
  for (auto l = 0; l < k; ++l) {
    backwards.push_back(k - 1 - l);
    neighbours.push_back(l ^ 1);
    halves.push_back((l + k / 2) % k);
    rotated.push_back((l + 1) % k);
  }
  for (auto const& [words, order] :
       {std::pair{"k backwards", backwards}, std::pair{"neighbours along k exchanged", neighbours},
        std::pair{"halves of k exchanged", halves}, std::pair{"k rotated by one", rotated}}) {
    rows.add({"tensor cores", block, "order", words}, compare(first, operands.permuted(order).product()));
  }
  rows.add({"tensor cores", block, "arrival", "20 runs"},
           compare_runs<typename Instruction::Output>(first, 20, [&] { return operands.product(); }));
}

/// One row of A times one column of B: D of products a_k b_k and C.
template <class Instruction>
typename Instruction::Output one_sum(std::vector<std::pair<double, double>> const& products, double c) {
  Operands<Instruction> operands(1);
  for (std::size_t l = 0; l < products.size(); ++l) {
    operands.a[l] = static_cast<typename Instruction::Input>(products[l].first);
    operands.b[l * Instruction::n] = static_cast<typename Instruction::Input>(products[l].second);
  }
  operands.c[0] = static_cast<typename Instruction::Output>(c);
  return operands.product()[0];
}

/// Whether a sum is as expected, element by element of a list.
template <class Instruction>
void expected_row(Rows& rows, char const* varied, std::string const& change,
                  std::vector<typename Instruction::Output> const& expected,
                  std::vector<typename Instruction::Output> const& found) {
  rows.add({"tensor cores", std::string("mma.sync ") + Instruction::name, varied, change},
           compare(expected, found));
}

void rounding_rows(Rows& rows) {
  auto const a = 1 + 0x1p-11 + 0x1p-13;
  expected_row<Tf32>(rows, "rounding",
                     "inputs cut off to 10 bits against the instruction: 1 + 2^-11 + 2^-13, both sides",
                     {1, 1}, {one_sum<Tf32>({{a, 1}}, 0), one_sum<Tf32>({{1, a}}, 0)});
  expected_row<Tf32>(
      rows, "rounding",
      "inputs rounded to nearest of 10 bits against the instruction: 1 + 2^-11 + 2^-13, both sides",
      {1 + 0x1p-10f, 1 + 0x1p-10f}, {one_sum<Tf32>({{a, 1}}, 0), one_sum<Tf32>({{1, a}}, 0)});
  std::vector<float> exact, cut, by_bf16, one_up, one_down;
  for (auto e = 22; e <= 30; ++e) {
    // Sixteen products of 2^-e beside C = 1: the sum as it would be, rounded once.
    std::vector<std::pair<double, double>> const products(16, {std::ldexp(1.0, -e), 1});
    exact.push_back(static_cast<float>(1 + 16 * std::ldexp(1.0, -e)));
    // Bits below 2^-25 beside 1 are cut off of each product.
    cut.push_back(static_cast<float>(e <= 25 ? 1 + 16 * std::ldexp(1.0, -e) : 1));
    by_bf16.push_back(one_sum<Bf16>(products, 1));
  }
  expected_row<Bf16>(rows, "rounding",
                     "the exact sum, rounded to nearest, against the instruction: C = 1 and sixteen products "
                     "of 2^-22 to 2^-30",
                     exact, by_bf16);
  expected_row<Bf16>(
      rows, "rounding",
      "addends cut off below 2^-25 against the instruction: C = 1 and sixteen products of 2^-22 to 2^-30",
      cut, by_bf16);
  for (std::size_t place = 0; place < 16; ++place) {
    std::vector<std::pair<double, double>> above(16, {0, 0}), below(16, {0, 0});
    above[place] = {1.5 * 0x1p-24, 1};
    below[place] = {0x1p-25, 1};
    one_up.push_back(one_sum<Bf16>(above, 1));
    one_down.push_back(one_sum<Bf16>(below, -1));
  }
  expected_row<Bf16>(rows, "rounding",
                     "the sum rounded to nearest against the instruction: 1 + 1.5 * 2^-24 at each place of k",
                     std::vector<float>(16, 1 + 0x1p-23f), one_up);
  expected_row<Bf16>(rows, "rounding",
                     "the sum cut off against the instruction: 1 + 1.5 * 2^-24 at each place of k",
                     std::vector<float>(16, 1), one_up);
  expected_row<Bf16>(rows, "rounding",
                     "the sum cut off towards zero against the instruction: -1 + 2^-25 at each place of k",
                     std::vector<float>(16, -1 + 0x1p-24f), one_down);
}

void subnormal_rows(Rows& rows) {
  auto const row = [&]<class Instruction>(Instruction, char const* what, double a, double b, double c) {
    rows.add({"tensor cores", std::string("mma.sync ") + Instruction::name, "subnormal",
              std::string(what) + " kept against the instruction"},
             compare(std::vector{static_cast<typename Instruction::Output>(a * b + c)},
                     {one_sum<Instruction>({{a, b}}, c)}));
  };
  row(Bf16(), "an input of 2^-130", 0x1p-130, 0x1p100, 0);
  row(Half(), "an input of 2^-20", 0x1p-20, 0x1p10, 0);
  row(Tf32(), "an input of 2^-130", 0x1p-130, 0x1p100, 0);
  row(Bf16(), "a result of 2^-140", 0x1p-70, 0x1p-70, 0);
  row(Tf32(), "a result of 2^-140", 0x1p-70, 0x1p-70, 0);
  row(Bf16(), "C of 2^-140", 0, 0, 0x1p-140);
  row(Double4(), "an input of 2^-1060", 0x1p-1060, 0x1p900, 0);
  row(Double4(), "a result of 2^-1060", 0x1p-530, 0x1p-530, 0);
}

}  // namespace

void tensor_rows(Rows& rows) {
  auto version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  rows.version("tensor cores", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
  rows.measure("mma.sync m8n8k4 f64", [&] { order_rows<Double4>(rows); });
  rows.measure("mma.sync m16n8k16 f64", [&] { order_rows<Double16>(rows); });
  rows.measure("mma.sync tf32", [&] { order_rows<Tf32>(rows); });
  rows.measure("mma.sync bf16", [&] { order_rows<Bf16>(rows); });
  rows.measure("mma.sync half", [&] { order_rows<Half>(rows); });
  rows.measure("rounding of mma.sync", [&] { rounding_rows(rows); });
  rows.measure("subnormals of mma.sync", [&] { subnormal_rows(rows); });
}

}  // namespace ulpine::atlas
