// SPDX-License-Identifier: Apache-2.0
// Rows of OpenBLAS and of the reference BLAS, loaded where they are found: ATLAS_OPENBLAS names another file.
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr int n = 300, length = 100003;

/// The routines that Fortran calls by these names.
class Library {
 public:
  explicit Library(std::string const& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error("no " + file + " found");
    find(dgemm, "dgemm_");
    find(sgemm, "sgemm_");
    find(ddot, "ddot_");
    find(dgemv, "dgemv_");
    set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle_, "openblas_set_num_threads"));
    config = reinterpret_cast<char* (*)()>(dlsym(handle_, "openblas_get_config"));
    core = reinterpret_cast<char* (*)()>(dlsym(handle_, "openblas_get_corename"));
  }
  template <class T>
  using Gemm = void (*)(char const*, char const*, int const*, int const*, int const*, T const*, T const*,
                        int const*, T const*, int const*, T const*, T*, int const*);
  Gemm<double> dgemm = nullptr;
  Gemm<float> sgemm = nullptr;
  double (*ddot)(int const*, double const*, int const*, double const*, int const*) = nullptr;
  void (*dgemv)(char const*, int const*, int const*, double const*, double const*, int const*, double const*,
                int const*, double const*, double*, int const*) = nullptr;
  void (*set_threads)(int) = nullptr;
  char* (*config)() = nullptr;
  char* (*core)() = nullptr;

  void multiply(char const* op_a, char const* op_b, int m, int columns, int k, double const* a, int lda,
                double const* b, int ldb, double* c, int ldc) const {
    double const one = 1, zero = 0;
    dgemm(op_a, op_b, &m, &columns, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
  }
  void multiply(char const* op_a, char const* op_b, int m, int columns, int k, float const* a, int lda,
                float const* b, int ldb, float* c, int ldc) const {
    float const one = 1, zero = 0;
    sgemm(op_a, op_b, &m, &columns, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
  }

 private:
  template <class Function>
  void find(Function& function, char const* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
  }
  void* handle_;
};

template <class T>
std::vector<T> square_product(Library const& blas, int columns = n) {
  auto const a = uniform<T>(n * n, 11), b = uniform<T>(n * n, 12);
  std::vector<T> c(static_cast<std::size_t>(n) * columns);
  blas.multiply("N", "N", n, columns, n, a.data(), n, b.data(), n, c.data(), n);
  return c;
}

double inner_product(Library const& blas) {
  auto const x = uniform<double>(length, 16), y = uniform<double>(length, 17);
  int const count = length, one = 1;
  return blas.ddot(&count, x.data(), &one, y.data(), &one);
}

template <class T>
void gemm_rows(Rows& rows, std::string const& library, Library const& blas) {
  auto const block = std::string(sizeof(T) == 8 ? "dgemm " : "sgemm ") + std::to_string(n);
  auto const a = uniform<T>(n * n, 11), b = uniform<T>(n * n, 12);
  auto const first = square_product<T>(blas);
  auto const add = [&](char const* varied, std::string const& change, std::vector<T> const& kept,
                       std::vector<T> const& found) {
    rows.add({library, block, varied, change}, compare(kept, found));
  };
  rows.add({library, block, "arrival", "20 runs"},
           compare_runs<T>(first, 20, [&] { return square_product<T>(blas); }));
  auto const transposed = [](std::vector<T> const& from) {
    std::vector<T> to(from.size());
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) to[i * n + j] = from[j * n + i];
    }
    return to;
  };
  auto const a_t = transposed(a), b_t = transposed(b);
  std::vector<T> c(first.size());
  blas.multiply("T", "N", n, n, n, a_t.data(), n, b.data(), n, c.data(), n);
  add("transpose", "A stored transposed (TN against NN)", first, c);
  blas.multiply("N", "T", n, n, n, a.data(), n, b_t.data(), n, c.data(), n);
  add("transpose", "B stored transposed (NT against NN)", first, c);
  blas.multiply("N", "N", n, n, n, b_t.data(), n, a_t.data(), n, c.data(), n);
  add("transpose", "the transposed product of transposed operands", first, transposed(c));
  blas.multiply("N", "T", n, n, n, a.data(), n, a.data(), n, c.data(), n);
  rows.add({library, block + ", A A^T", "symmetry", "C against C^T"}, compare(c, transposed(c)));
  for (auto const columns : {1, 8, 100}) {
    add("part", "the first " + std::to_string(columns) + " columns of C alone",
        std::vector<T>(first.begin(), first.begin() + std::int64_t{columns} * n),
        square_product<T>(blas, columns));
  }
  std::vector<T> moved_a(1), moved_b(1), moved_c(static_cast<std::size_t>(n + 1) * n + 1);
  for (std::int64_t j = 0; j < n; ++j) {
    moved_a.insert(moved_a.end(), a.begin() + j * n, a.begin() + (j + 1) * n);
    moved_b.insert(moved_b.end(), b.begin() + j * n, b.begin() + (j + 1) * n);
    moved_a.push_back(0);
    moved_b.push_back(0);
  }
  blas.multiply("N", "N", n, n, n, moved_a.data() + 1, n + 1, moved_b.data() + 1, n + 1, moved_c.data() + 1,
                n + 1);
  std::vector<T> found, chain(first.size());
  for (std::int64_t j = 0; j < n; ++j)
    found.insert(found.end(), moved_c.begin() + 1 + j * (n + 1), moved_c.begin() + 1 + j * (n + 1) + n);
  add("alignment", "leading dimensions 301 and pointers moved by one element", first, found);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      T sum = 0;
      for (std::size_t l = 0; l < n; ++l) sum = std::fma(a[l * n + i], b[j * n + l], sum);
      chain[j * n + i] = sum;
    }
  }
  add("definition", "the chain of fused multiply-adds over k = 0, 1, .. against the library", chain, first);
  if (blas.set_threads == nullptr) return;
  blas.set_threads(1);
  auto const alone = square_product<T>(blas);
  for (auto const threads : {2, 3, 4}) {
    blas.set_threads(threads);
    add("threads", std::to_string(threads) + " threads against one", alone, square_product<T>(blas));
  }
  blas.set_threads(1);
}

void vector_rows(Rows& rows, std::string const& library, Library const& blas) {
  auto const block = "ddot " + std::to_string(length);
  auto const first = inner_product(blas);
  rows.add({library, block, "arrival", "50 runs"},
           compare_runs<double>({first}, 50, [&] { return std::vector<double>{inner_product(blas)}; }));
  auto const x = uniform<double>(length, 16), y = uniform<double>(length, 17);
  std::vector<double> moved_x(1), moved_y(1), spread(2 * x.size());
  moved_x.insert(moved_x.end(), x.begin(), x.end());
  moved_y.insert(moved_y.end(), y.begin(), y.end());
  for (std::size_t i = 0; i < x.size(); ++i) spread[2 * i] = x[i];
  int const count = length, one = 1, two = 2;
  rows.add({library, block, "alignment", "both pointers moved by 8 bytes"},
           compare<double>({first}, {blas.ddot(&count, moved_x.data() + 1, &one, moved_y.data() + 1, &one)}));
  rows.add({library, block, "stride", "incx 2 against 1"},
           compare<double>({first}, {blas.ddot(&count, spread.data(), &two, y.data(), &one)}));
  auto fused = 0.0, plain = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fused = std::fma(x[i], y[i], fused);
    plain += x[i] * y[i];
  }
  rows.add({library, block, "definition", "the serial sum of rounded products against the library"},
           compare<double>({plain}, {first}));
  rows.add({library, block, "definition", "the chain of fused multiply-adds against the library"},
           compare<double>({fused}, {first}));
  if (blas.set_threads == nullptr) return;
  blas.set_threads(1);
  auto const alone = inner_product(blas);
  for (auto const threads : {2, 4}) {
    blas.set_threads(threads);
    rows.add({library, block, "threads", std::to_string(threads) + " threads against one"},
             compare<double>({alone}, {inner_product(blas)}));
  }
  blas.set_threads(1);
}

/// The kernels of other processors, which OpenBLAS takes when it is told of them.
void processor_rows(Rows& rows, std::string const& file) {
  auto const by = [&](std::string const& core) {
    return child("OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=" + core, "--blas '" + file + "'");
  };
  auto constexpr elements = static_cast<std::size_t>(n) * n;
  auto const haswell = by("Haswell");
  for (auto const core : {"Sandybridge", "Nehalem", "Zen", "SkylakeX"}) {
    rows.measure(std::string("OpenBLAS for ") + core, [&] {
      auto const other = by(core);
      auto const change = std::string("kernels of ") + core + " against those of Haswell (OPENBLAS_CORETYPE)";
      rows.add({"OpenBLAS", "dgemm 300", "processor", change},
               compare(numbers<double>(haswell, 0, elements), numbers<double>(other, 0, elements)));
      rows.add({"OpenBLAS", "sgemm 300", "processor", change},
               compare(numbers<float>(haswell, 8 * elements, elements),
                       numbers<float>(other, 8 * elements, elements)));
      rows.add({"OpenBLAS", "ddot 100003", "processor", change},
               compare(numbers<double>(haswell, 12 * elements, 1), numbers<double>(other, 12 * elements, 1)));
    });
  }
}

}  // namespace

int blas_child(char const* library, char const* path) {
  Library const blas(library);
  auto const wide = square_product<double>(blas);
  auto const narrow = square_product<float>(blas);
  auto const inner = inner_product(blas);
  std::ofstream output(path, std::ios::binary);
  output.write(reinterpret_cast<char const*>(wide.data()),
               static_cast<std::streamsize>(wide.size() * sizeof(double)));
  output.write(reinterpret_cast<char const*>(narrow.data()),
               static_cast<std::streamsize>(narrow.size() * sizeof(float)));
  output.write(reinterpret_cast<char const*>(&inner), sizeof inner);
  return output ? 0 : 1;
}

void blas_rows_of_host(Rows& rows) {
  rows.measure("OpenBLAS", [&] {
    auto const* const named = std::getenv("ATLAS_OPENBLAS");
    std::string const file = named != nullptr ? named : "libopenblas.so.0";
    Library const blas(file);
    std::string const config = blas.config != nullptr ? blas.config() : "OpenBLAS unknown";
    auto const begin = config.find(' ') + 1;
    rows.version("OpenBLAS", config.substr(begin, config.find(' ', begin) - begin));
    gemm_rows<double>(rows, "OpenBLAS", blas);
    gemm_rows<float>(rows, "OpenBLAS", blas);
    vector_rows(rows, "OpenBLAS", blas);
    processor_rows(rows, file);
  });
  rows.measure("reference BLAS", [&] {
    Library const blas("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3");
    rows.version("reference BLAS", "3");
    gemm_rows<double>(rows, "reference BLAS", blas);
    vector_rows(rows, "reference BLAS", blas);
  });
}

}  // namespace ulpine::atlas
