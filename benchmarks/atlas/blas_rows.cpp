// SPDX-License-Identifier: Apache-2.0
// Rows of cuBLAS: products of matrices in four arithmetics, inner products, symmetric products.
#include <cublas_v2.h>

#include <cmath>
#include <fstream>

#include "card.hpp"
#include "children.hpp"

namespace ulpine::atlas {
namespace {

class Handle {
 public:
  Handle() { check(cublasCreate(&handle_), "cublasCreate"); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  ~Handle() { cublasDestroy(handle_); }
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

struct Double {
  using Input = double;
  using Output = double;
  static constexpr char const* name = "dgemm";
  static constexpr auto input = CUDA_R_64F, output = CUDA_R_64F;
  static constexpr auto compute = CUBLAS_COMPUTE_64F;
  static double of(double x) { return x; }
};
struct Single {
  using Input = float;
  using Output = float;
  static constexpr char const* name = "sgemm";
  static constexpr auto input = CUDA_R_32F, output = CUDA_R_32F;
  static constexpr auto compute = CUBLAS_COMPUTE_32F;
  static float of(double x) { return static_cast<float>(x); }
};
struct Tf32 : Single {
  static constexpr char const* name = "TF32 gemm";
  static constexpr auto compute = CUBLAS_COMPUTE_32F_FAST_TF32;
};
struct Bf16 {
  using Input = std::uint16_t;
  using Output = float;
  static constexpr char const* name = "bf16 gemm";
  static constexpr auto input = CUDA_R_16BF, output = CUDA_R_32F;
  static constexpr auto compute = CUBLAS_COMPUTE_32F;
  static std::uint16_t of(
      double x) {  // the upper half of a float: the number cut off, which a random input may be
    auto const value = static_cast<float>(x);
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    return static_cast<std::uint16_t>(word >> 16);
  }
};

template <class Kind>
std::vector<typename Kind::Input> inputs(std::int64_t count, std::uint64_t seed) {
  std::vector<typename Kind::Input> values;
  values.reserve(static_cast<std::size_t>(count));
  Generator generator(seed);
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(Kind::of(generator.uniform<typename Kind::Output>()));
  return values;
}

/// A product C (m x n) = A (m x k) B (k x n), column major.
struct Shape {
  int m, n, k;
  int lda = 0, ldb = 0, ldc = 0;  ///< 0: without gaps
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
};

template <class Kind>
void multiply(cublasHandle_t handle, Shape s, typename Kind::Input const* a, typename Kind::Input const* b,
              typename Kind::Output* c, cublasComputeType_t compute = Kind::compute, double beta = 0) {
  auto const lda = s.lda != 0 ? s.lda : (s.op_a == CUBLAS_OP_N ? s.m : s.k);
  auto const ldb = s.ldb != 0 ? s.ldb : (s.op_b == CUBLAS_OP_N ? s.k : s.n);
  typename Kind::Output const one = 1, start = static_cast<typename Kind::Output>(beta);
  check(cublasGemmEx(handle, s.op_a, s.op_b, s.m, s.n, s.k, &one, a, Kind::input, lda, b, Kind::input, ldb,
                     &start, c, Kind::output, s.ldc != 0 ? s.ldc : s.m, compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

template <class T>
std::vector<T> transposed(std::vector<T> const& from, int rows, int columns) {
  std::vector<T> to(from.size());
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) to[i * columns + j] = from[j * rows + i];
  }
  return to;
}

std::string shape_name(Shape const& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k);
}

/// Operands on the card and the product of a default handle.
template <class Kind>
struct Product {
  Shape shape;
  OnCard<typename Kind::Input> a, b;
  explicit Product(Shape s)
      : shape(s),
        a(inputs<Kind>(std::int64_t{s.m} * s.k, 11)),
        b(inputs<Kind>(std::int64_t{s.k} * s.n, 12)) {}
  std::vector<typename Kind::Output> by(cublasHandle_t handle,
                                        cublasComputeType_t compute = Kind::compute) const {
    OnCard<typename Kind::Output> c(static_cast<std::size_t>(shape.m) * shape.n);
    multiply<Kind>(handle, shape, a.data(), b.data(), c.data(), compute);
    return c.get();
  }
  std::string block() const { return std::string(Kind::name) + " " + shape_name(shape); }
};

constexpr Shape tall{64, 64, 65536}, cube{1024, 1024, 1024}, odd{1000, 1000, 1000};

template <class Kind>
void environment_rows(Rows& rows, Shape shape) {
  Product<Kind> const product(shape);
  Handle const plain;
  auto const first = product.by(plain);
  auto const add = [&](char const* varied, std::string const& change,
                       std::vector<typename Kind::Output> const& found) {
    rows.add({"cuBLAS", product.block(), varied, change}, compare(first, found));
  };
  {
    Handle const own;
    OnCard<char> area(std::size_t{64} << 20);
    check(cublasSetWorkspace(own, area.data(), area.size()), "cublasSetWorkspace");
    add("workspace", "64 MiB of the caller's as workspace", product.by(own));
  }
  {
    Handle const few;
    check(cublasSetSmCountTarget(few, 66), "cublasSetSmCountTarget");
    add("sm_count", "cublasSetSmCountTarget(66)", product.by(few));
  }
  {
    Handle const pedantic;
    check(cublasSetMathMode(pedantic, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    add("math_mode", "CUBLAS_PEDANTIC_MATH against the default", product.by(pedantic));
  }
  add("handle", "a second default handle", product.by(Handle()));
  rows.add({"cuBLAS", product.block(), "arrival", "20 runs on one stream"},
           compare_runs<typename Kind::Output>(first, 20, [&] { return product.by(plain); }));
}

/// Calls `with(Kind(), shape)` for each arithmetic and shape of which the environment is varied.
template <class With>
void for_each_product(With with) {
  for (auto const& shape : {tall, cube}) {
    with(Double(), shape);
    with(Single(), shape);
    with(Tf32(), shape);
    with(Bf16(), shape);
  }
}

/// Products of processes under values of CUBLAS_WORKSPACE_CONFIG.
void workspace_rows(Rows& rows) {
  auto const first = child("env -u CUBLAS_WORKSPACE_CONFIG", "--cublas-products");
  for (auto const config : {":0:0", ":4096:8", ":16:8"}) {
    auto const other = child(std::string("CUBLAS_WORKSPACE_CONFIG=") + config, "--cublas-products");
    std::size_t at = 0;
    for_each_product([&]<class Kind>(Kind, Shape const& shape) {
      using Output = typename Kind::Output;
      auto const elements = static_cast<std::size_t>(shape.m) * shape.n;
      rows.add({"cuBLAS", std::string(Kind::name) + " " + shape_name(shape), "workspace",
                std::string("CUBLAS_WORKSPACE_CONFIG=") + config + " against none"},
               compare(numbers<Output>(first, at, elements), numbers<Output>(other, at, elements)));
      at += elements * sizeof(Output);
    });
  }
}

/// Runs on one stream, and on two by turns while the card is busy with another kernel.
template <class Kind>
void stream_rows(Rows& rows) {
  Product<Kind> const product(tall);
  Handle const handle;
  auto const first = product.by(handle);
  rows.add({"cuBLAS", product.block(), "arrival", "100 runs on one stream"},
           compare_runs<typename Kind::Output>(first, 100, [&] { return product.by(handle); }));
  auto constexpr turns = 200;
  auto const elements = static_cast<std::size_t>(tall.m) * tall.n;
  OnCard<typename Kind::Output> results(elements * turns);
  OwnStream const left, right, busy;
  load_card(busy.get(), 50);
  for (auto turn = 0; turn < turns; ++turn) {
    check(cublasSetStream(handle, (turn % 2 == 0 ? left : right).get()), "cublasSetStream");
    multiply<Kind>(handle, tall, product.a.data(), product.b.data(), results.data() + turn * elements);
  }
  auto found = compare(first, first);
  for (auto turn = 0; turn < turns; ++turn)
    found = worse(found, compare(first, results.get(turn * elements, elements)));
  rows.add(
      {"cuBLAS", product.block(), "stream", "one handle on two streams by turns, 200 products in flight"},
      found);
}

/// The same product of operands that lie otherwise, or as a part of a larger one.
template <class Kind>
void place_rows(Rows& rows) {
  using Input = typename Kind::Input;
  using Output = typename Kind::Output;
  Product<Kind> const product(odd);
  Handle const handle;
  auto const first = product.by(handle);
  auto const n = odd.m;
  auto const a = product.a.get(), b = product.b.get();
  auto const add = [&](char const* varied, std::string const& change, std::vector<Output> const& kept,
                       std::vector<Output> const& found) {
    rows.add({"cuBLAS", product.block(), varied, change}, compare(kept, found));
  };
  {
    auto constexpr gap = 1;
    auto const widened = [&](std::vector<Input> const& from) {
      std::vector<Input> to(1);  // moved by one element
      for (std::int64_t j = 0; j < n; ++j) {
        to.insert(to.end(), from.begin() + j * n, from.begin() + (j + 1) * n);
        to.insert(to.end(), 1, Input());
      }
      return to;
    };
    OnCard<Input> const wide_a(widened(a)), wide_b(widened(b));
    OnCard<Output> c(static_cast<std::size_t>(n + gap) * n + 1);
    multiply<Kind>(handle, {n, n, n, n + gap, n + gap, n + gap}, wide_a.data() + 1, wide_b.data() + 1,
                   c.data() + 1);
    auto const wide = c.get();
    std::vector<Output> found;
    for (std::int64_t j = 0; j < n; ++j)
      found.insert(found.end(), wide.begin() + 1 + j * (n + gap), wide.begin() + 1 + j * (n + gap) + n);
    add("alignment", "leading dimensions 1001 and pointers moved by one element", first, found);
  }
  OnCard<Input> const a_t(transposed(a, n, n)), b_t(transposed(b, n, n));
  auto const by = [&](Shape shape, Input const* left, Input const* right) {
    OnCard<Output> c(static_cast<std::size_t>(shape.m) * shape.n);
    multiply<Kind>(handle, shape, left, right, c.data());
    return c.get();
  };
  add("transpose", "A stored transposed (TN against NN)", first,
      by({n, n, n, n, n, n, CUBLAS_OP_T, CUBLAS_OP_N}, a_t.data(), product.b.data()));
  add("transpose", "B stored transposed (NT against NN)", first,
      by({n, n, n, n, n, n, CUBLAS_OP_N, CUBLAS_OP_T}, product.a.data(), b_t.data()));
  add("transpose", "both stored transposed (TT against NN)", first,
      by({n, n, n, n, n, n, CUBLAS_OP_T, CUBLAS_OP_T}, a_t.data(), b_t.data()));
  add("transpose", "the transposed product of transposed operands", first,
      transposed(by(odd, b_t.data(), a_t.data()), n, n));
  for (auto const columns : {1, 8, 100, 500}) {
    std::vector<Output> const kept(first.begin(), first.begin() + std::int64_t{columns} * n);
    add("part", "the first " + std::to_string(columns) + " columns of C alone", kept,
        by({n, columns, n}, product.a.data(), product.b.data()));
  }
  for (auto const some : {100, 500}) {
    auto const found = by({some, n, n, n, n, some}, product.a.data(), product.b.data());
    std::vector<Output> kept;
    for (std::int64_t j = 0; j < n; ++j)
      kept.insert(kept.end(), first.begin() + j * n, first.begin() + j * n + some);
    add("part", "the first " + std::to_string(some) + " rows of C alone", kept, found);
  }
  {
    OnCard<Output> c(first.size());
    c.clear();
    multiply<Kind>(handle, odd, product.a.data(), product.b.data(), c.data(), Kind::compute, 1);
    add("beta", "beta 1 and C = 0 against beta 0", first, c.get());
  }
}

/// C = A A^T, which exact arithmetic makes symmetric.
template <class Kind>
void symmetric_rows(Rows& rows) {
  Shape const shape{1000, 1000, 300, 0, 0, 0, CUBLAS_OP_N, CUBLAS_OP_T};
  OnCard<typename Kind::Input> const a(inputs<Kind>(std::int64_t{shape.m} * shape.k, 13));
  OnCard<typename Kind::Output> c(static_cast<std::size_t>(shape.m) * shape.n);
  Handle const handle;
  multiply<Kind>(handle, shape, a.data(), a.data(), c.data());
  auto const product = c.get();
  auto const block = std::string(Kind::name) + " A A^T, 1000 x 300";
  rows.add({"cuBLAS", block, "symmetry", "C against C^T"},
           compare(product, transposed(product, shape.m, shape.m)));
  if constexpr (std::is_same_v<Kind, Double>) {
    double const one = 1, zero = 0;
    check(cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, shape.m, shape.k, &one, a.data(), shape.m,
                      &zero, c.data(), shape.m),
          "cublasDsyrk");
    auto const lower = c.get();
    std::vector<double> kept, found;
    for (std::int64_t j = 0; j < shape.m; ++j) {
      kept.insert(kept.end(), product.begin() + j * shape.m + j, product.begin() + (j + 1) * shape.m);
      found.insert(found.end(), lower.begin() + j * shape.m + j, lower.begin() + (j + 1) * shape.m);
    }
    rows.add({"cuBLAS", block, "routine", "dsyrk's lower triangle against dgemm's"}, compare(kept, found));
  }
}

/// Products one after the other in a strided batch.
template <class Kind>
void batch_rows(Rows& rows, int n) {
  auto constexpr places = 17;
  auto const one_a = inputs<Kind>(std::int64_t{n} * n, 14), one_b = inputs<Kind>(std::int64_t{n} * n, 15);
  auto many_a = one_a, many_b = one_b;
  for (auto place = 1; place < places; ++place) {
    many_a.insert(many_a.end(), one_a.begin(), one_a.end());
    many_b.insert(many_b.end(), one_b.begin(), one_b.end());
  }
  OnCard<typename Kind::Input> const a(many_a), b(many_b);
  auto const elements = static_cast<std::size_t>(n) * n;
  Handle const handle;
  auto const run = [&](int batch) {
    OnCard<typename Kind::Output> c(elements * batch);
    typename Kind::Output const one = 1, zero = 0;
    auto const stride = static_cast<long long>(elements);
    check(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), Kind::input,
                                     n, stride, b.data(), Kind::input, n, stride, &zero, c.data(),
                                     Kind::output, n, stride, batch, Kind::compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx");
    return c.get();
  };
  auto const all = run(places);
  using Results = std::vector<typename Kind::Output>;
  Results const first(all.begin(), all.begin() + elements);
  auto found = compare(first, first);
  for (std::size_t place = 1; place < places; ++place) {
    found = worse(
        found, compare(first, Results(all.begin() + place * elements, all.begin() + (place + 1) * elements)));
  }
  auto const block = std::string(Kind::name) + " strided batch " + std::to_string(n);
  rows.add({"cuBLAS", block, "place", "a product at each of 17 places of a batch"}, found);
  OnCard<typename Kind::Output> c(elements);
  multiply<Kind>(handle, {n, n, n}, a.data(), b.data(), c.data());
  rows.add({"cuBLAS", block, "batch", "a product in a batch of 17 against it alone"},
           compare(c.get(), first));
}

template <class Kind>
void chain_rows(Rows& rows) {
  Product<Kind> const product(cube);
  Handle const handle;
  OnCard<typename Kind::Output> c(static_cast<std::size_t>(cube.m) * cube.n);
  chain_product(cube.m, cube.n, cube.k, product.a.data(), product.b.data(), c.data());
  rows.add({"cuBLAS", product.block(), "definition",
            "the chain of fused multiply-adds over k = 0, 1, .. against the library"},
           compare(c.get(), product.by(handle)));
}

/// Products that newer versions emulate by narrower numbers.
void emulated_rows(Rows& rows) {
#if CUBLAS_VERSION >= 130000
  Product<Single> const single(cube);
  Product<Double> const wide(cube);
  Handle const plain, eager;
  check(cublasSetEmulationStrategy(eager, CUBLAS_EMULATION_STRATEGY_EAGER), "cublasSetEmulationStrategy");
  auto const singles = single.by(plain);
  auto const doubles = wide.by(plain);
  rows.measure("emulated FP32", [&] {
    rows.add({"cuBLAS", single.block(), "math_mode",
              "CUBLAS_COMPUTE_32F_EMULATED_16BFX9 against CUBLAS_COMPUTE_32F"},
             compare(singles, single.by(plain, CUBLAS_COMPUTE_32F_EMULATED_16BFX9)));
    rows.add({"cuBLAS", single.block(), "math_mode",
              "CUBLAS_COMPUTE_32F_EMULATED_16BFX9, strategy eager, against CUBLAS_COMPUTE_32F"},
             compare(singles, single.by(eager, CUBLAS_COMPUTE_32F_EMULATED_16BFX9)));
    Handle mode;
    check(cublasSetMathMode(mode, CUBLAS_FP32_EMULATED_BF16X9_MATH), "cublasSetMathMode");
    rows.add({"cuBLAS", single.block(), "math_mode", "CUBLAS_FP32_EMULATED_BF16X9_MATH against the default"},
             compare(singles, single.by(mode)));
  });
  rows.measure("emulated FP64", [&] {
    rows.add({"cuBLAS", wide.block(), "math_mode",
              "CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT against CUBLAS_COMPUTE_64F"},
             compare(doubles, wide.by(plain, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT)));
    rows.add({"cuBLAS", wide.block(), "math_mode",
              "CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, strategy eager, against CUBLAS_COMPUTE_64F"},
             compare(doubles, wide.by(eager, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT)));
    Handle mode;
    check(cublasSetMathMode(mode, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH), "cublasSetMathMode");
    rows.add(
        {"cuBLAS", wide.block(), "math_mode", "CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH against the default"},
        compare(doubles, wide.by(mode)));
  });
#else
  rows.not_measured("emulated products", "cuBLAS before 13.0 has none");
#endif
  Product<Single> const plain_product(cube);
  Handle const plain_handle;
  rows.add(
      {"cuBLAS", plain_product.block(), "math_mode", "TF32 against CUBLAS_COMPUTE_32F"},
      compare(plain_product.by(plain_handle), plain_product.by(plain_handle, CUBLAS_COMPUTE_32F_FAST_TF32)));
}

/// How TF32 rounds its inputs: 1 + 2^-11 + 2^-13 times a unit matrix, against the nearest number of 10 bits.
void tf32_rows(Rows& rows) {
  for (auto const n : {64, 256, 1024}) {
    auto const elements = static_cast<std::size_t>(n) * n;
    std::vector<float> const value(elements, 1 + 0x1p-11f + 0x1p-13f);
    std::vector<float> unit(elements);
    for (std::size_t i = 0; i < elements; i += static_cast<std::size_t>(n) + 1) unit[i] = 1;
    OnCard<float> const a(value), b(unit);
    OnCard<float> c(elements);
    Handle const handle;
    multiply<Tf32>(handle, {n, n, n}, a.data(), b.data(), c.data());
    rows.add({"cuBLAS", "TF32 gemm " + std::to_string(n), "rounding",
              "inputs rounded to nearest of 10 bits against the library"},
             compare(std::vector<float>(elements, 1 + 0x1p-10f), c.get()));
  }
}

/// The reductions of level 1, of several vectors each: one number may be the same by chance.
void vector_rows(Rows& rows) {
  auto constexpr n = 1000003, sets = 6;
  struct Vectors {
    std::vector<double> x, y;
    OnCard<double> aligned, by, wide, moved, moved_y;
    Vectors(std::vector<double> a, std::vector<double> b)
        : x(std::move(a)),
          y(std::move(b)),
          aligned(x),
          by(y),
          wide(2 * x.size()),
          moved(x.size() + 1),
          moved_y(x.size() + 1) {
      std::vector<double> spread(2 * x.size());
      for (std::size_t i = 0; i < x.size(); ++i) spread[2 * i] = x[i];
      wide.set(spread);
      moved.set(x, 1);
      moved_y.set(y, 1);
    }
  };
  std::vector<Vectors> all;
  for (std::uint64_t set = 0; set < sets; ++set)
    all.emplace_back(uniform<double>(n, 160 + set), uniform<double>(n, 170 + set));
  Handle const handle;
  struct Routine {
    char const* name;
    std::function<void(double const*, int, double const*, double*)> call;
    std::function<double(double, double, double)> next;  ///< of the serial sum: sum, x, y
  };
  Routine const routines[] = {
      {"ddot",
       [&](double const* a, int inc, double const* b, double* r) {
         check(cublasDdot(handle, n, a, inc, b, 1, r), "cublasDdot");
       },
       [](double sum, double x, double y) { return std::fma(x, y, sum); }},
      {"dasum",
       [&](double const* a, int inc, double const*, double* r) {
         check(cublasDasum(handle, n, a, inc, r), "cublasDasum");
       },
       [](double sum, double x, double) { return sum + std::fabs(x); }},
      {"dnrm2",
       [&](double const* a, int inc, double const*, double* r) {
         check(cublasDnrm2(handle, n, a, inc, r), "cublasDnrm2");
       },
       [](double sum, double x, double) { return std::fma(x, x, sum); }},
  };
  for (auto const& routine : routines) {
    auto const of = [&](auto const& call) {
      std::vector<double> results;
      for (auto const& vectors : all) results.push_back(call(vectors));
      return results;
    };
    auto const called = [&](double const* a, int inc, double const* b) {
      double result = 0;
      routine.call(a, inc, b, &result);
      return result;
    };
    auto const plain = [&] {
      return of([&](Vectors const& v) { return called(v.aligned.data(), 1, v.by.data()); });
    };
    auto const first = plain();
    auto const add = [&](char const* varied, char const* change, std::vector<double> const& found) {
      rows.add({"cuBLAS", std::string(routine.name) + " " + std::to_string(n), varied, change},
               compare(first, found));
    };
    add("alignment", "both pointers moved by 8 bytes",
        of([&](Vectors const& v) { return called(v.moved.data() + 1, 1, v.moved_y.data() + 1); }));
    add("alignment", "x alone moved by 8 bytes",
        of([&](Vectors const& v) { return called(v.moved.data() + 1, 1, v.by.data()); }));
    add("stride", "incx 2 against 1",
        of([&](Vectors const& v) { return called(v.wide.data(), 2, v.by.data()); }));
    OnCard<double> const result(1);
    check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    add("pointer_mode", "the result in the card's memory", of([&](Vectors const& v) {
          routine.call(v.aligned.data(), 1, v.by.data(), result.data());
          return result.get().front();
        }));
    check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
    rows.add({"cuBLAS", std::string(routine.name) + " " + std::to_string(n), "arrival", "50 runs"},
             compare_runs<double>(first, 50, plain));
    add("definition", "the serial sum", of([&](Vectors const& v) {
          auto sum = 0.0;
          for (std::size_t i = 0; i < v.x.size(); ++i) sum = routine.next(sum, v.x[i], v.y[i]);
          return std::strcmp(routine.name, "dnrm2") == 0 ? std::sqrt(sum) : sum;
        }));
  }
}

/// Products with a symmetric matrix, whose kernels may add by atomics, and with a general one.
void matrix_vector_rows(Rows& rows) {
  auto constexpr n = 4096;
  OnCard<double> const a(uniform<double>(std::int64_t{n} * n, 18)), x(uniform<double>(n, 19));
  for (auto const fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    Handle const handle;
    auto const run = [&](cublasAtomicsMode_t mode) {
      check(cublasSetAtomicsMode(handle, mode), "cublasSetAtomicsMode");
      OnCard<double> y(n);
      double const one = 1, zero = 0;
      check(cublasDsymv(handle, fill, n, &one, a.data(), n, x.data(), 1, &zero, y.data(), 1), "cublasDsymv");
      return y.get();
    };
    auto const block = std::string("dsymv 4096 ") + (fill == CUBLAS_FILL_MODE_LOWER ? "lower" : "upper");
    auto const kept = run(CUBLAS_ATOMICS_NOT_ALLOWED);
    rows.add({"cuBLAS", block + ", atomics not allowed", "arrival", "100 runs"},
             compare_runs<double>(kept, 100, [&] { return run(CUBLAS_ATOMICS_NOT_ALLOWED); }));
    auto const first = run(CUBLAS_ATOMICS_ALLOWED);
    rows.add({"cuBLAS", block + ", atomics allowed", "arrival", "100 runs"},
             compare_runs<double>(first, 100, [&] { return run(CUBLAS_ATOMICS_ALLOWED); }));
    rows.add({"cuBLAS", block, "atomics", "allowed against not allowed"}, compare(kept, first));
  }
  Handle const handle;
  auto const times = [&](cublasOperation_t op, int m, double const* matrix, double const* vector) {
    OnCard<double> y(op == CUBLAS_OP_N ? m : n);
    double const one = 1, zero = 0;
    check(cublasDgemv(handle, op, m, n, &one, matrix, n, vector, 1, &zero, y.data(), 1), "cublasDgemv");
    return y.get();
  };
  auto const all = times(CUBLAS_OP_N, n, a.data(), x.data());
  rows.add({"cuBLAS", "dgemv 4096 N", "arrival", "50 runs"},
           compare_runs<double>(all, 50, [&] { return times(CUBLAS_OP_N, n, a.data(), x.data()); }));
  rows.add({"cuBLAS", "dgemv 4096 N", "part", "the first 1000 rows alone"},
           compare(std::vector<double>(all.begin(), all.begin() + 1000),
                   times(CUBLAS_OP_N, 1000, a.data(), x.data())));
  OnCard<double> const a_t(transposed(a.get(), n, n));
  rows.add({"cuBLAS", "dgemv 4096 N", "transpose", "A stored transposed"},
           compare(all, times(CUBLAS_OP_T, n, a_t.data(), x.data())));
  OnCard<double> c(n);
  multiply<Double>(handle, {n, 1, n}, a.data(), x.data(), c.data());
  rows.add({"cuBLAS", "dgemv 4096 N", "routine", "dgemm with one column against dgemv"},
           compare(all, c.get()));
}

template <class Kind>
void gemm_rows(Rows& rows) {
  std::string const name = Kind::name;
  rows.measure(name + " on streams", [&] { stream_rows<Kind>(rows); });
  rows.measure(name + " at places", [&] { place_rows<Kind>(rows); });
  rows.measure(name + " of a symmetric product", [&] { symmetric_rows<Kind>(rows); });
  for (auto const n : {64, 100, 256}) rows.measure(name + " in batches", [&] { batch_rows<Kind>(rows, n); });
  for (auto const& shape : {tall, cube})
    rows.measure(name + " by handles", [&] { environment_rows<Kind>(rows, shape); });
}

}  // namespace

int blas_products(char const* path) {
  std::ofstream output(path, std::ios::binary);
  Handle const handle;
  for_each_product([&]<class Kind>(Kind, Shape const& shape) {
    auto const product = Product<Kind>(shape).by(handle);
    output.write(reinterpret_cast<char const*>(product.data()),
                 static_cast<std::streamsize>(product.size() * sizeof product.front()));
  });
  output.close();
  return output ? 0 : 1;
}

void blas_rows(Rows& rows) {
  rows.version("cuBLAS", version_by(cublasGetProperty));
  gemm_rows<Double>(rows);
  gemm_rows<Single>(rows);
  gemm_rows<Tf32>(rows);
  gemm_rows<Bf16>(rows);
  rows.measure("workspaces by the environment", [&] { workspace_rows(rows); });
  rows.measure("dgemm as a chain", [&] { chain_rows<Double>(rows); });
  rows.measure("sgemm as a chain", [&] { chain_rows<Single>(rows); });
  rows.measure("emulated products", [&] { emulated_rows(rows); });
  rows.measure("TF32 rounding", [&] { tf32_rows(rows); });
  rows.measure("level 1", [&] { vector_rows(rows); });
  rows.measure("level 2", [&] { matrix_vector_rows(rows); });
}

}  // namespace ulpine::atlas
