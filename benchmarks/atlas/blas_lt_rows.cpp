// SPDX-License-Identifier: Apache-2.0
// Rows of cuBLASLt: parts of the inner dimension (split-K), workspace, and the algorithms that its heuristics
// offer.
#include <cublasLt.h>
#include <cublas_v2.h>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

/// A product C (m x n) = A (m x k) B (k x n) of column-major matrices of one type, without gaps.
template <class T>
class Product {
 public:
  Product(int m, int n, int k)
      : m_(m),
        n_(n),
        k_(k),
        a_(uniform<T>(std::int64_t{m} * k, 21)),
        b_(uniform<T>(std::int64_t{k} * n, 22)),
        area_(most) {
    auto constexpr type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    auto constexpr compute = sizeof(T) == 8 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    check(cublasLtCreate(&handle_), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&product_, compute, type), "cublasLtMatmulDescCreate");
    check(cublasLtMatrixLayoutCreate(&left_, type, m, k, m), "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&right_, type, k, n, k), "cublasLtMatrixLayoutCreate");
    check(cublasLtMatrixLayoutCreate(&result_, type, m, n, m), "cublasLtMatrixLayoutCreate");
  }
  Product(Product const&) = delete;
  Product& operator=(Product const&) = delete;
  ~Product() {
    cublasLtMatrixLayoutDestroy(result_);
    cublasLtMatrixLayoutDestroy(right_);
    cublasLtMatrixLayoutDestroy(left_);
    cublasLtMatmulDescDestroy(product_);
    cublasLtDestroy(handle_);
  }

  /// What the heuristics offer for a workspace of so many bytes, best first.
  std::vector<cublasLtMatmulAlgo_t> offered(std::size_t bytes, int count) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    std::uint64_t const limit = bytes;
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit,
                                               sizeof limit),
          "a preference");
    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(count));
    auto found = 0;
    auto const status = cublasLtMatmulAlgoGetHeuristic(handle_, product_, left_, right_, result_, result_,
                                                       preference, count, results.data(), &found);
    cublasLtMatmulPreferenceDestroy(preference);
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (auto i = 0; i < found; ++i) algorithms.push_back(results[static_cast<std::size_t>(i)].algo);
    return algorithms;
  }

  std::vector<T> by(cublasLtMatmulAlgo_t const& algorithm) const {
    OnCard<T> c(static_cast<std::size_t>(m_) * n_);
    T const one = 1, zero = 0;
    check(cublasLtMatmul(handle_, product_, &one, a_.data(), left_, b_.data(), right_, &zero, c.data(),
                         result_, c.data(), result_, &algorithm, area_.data(), area_.size(), nullptr),
          "cublasLtMatmul");
    return c.get();
  }
  std::vector<T> by_cublas() const {
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    OnCard<T> c(static_cast<std::size_t>(m_) * n_);
    T const one = 1, zero = 0;
    auto constexpr type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    auto constexpr compute = sizeof(T) == 8 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    auto const status =
        cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m_, n_, k_, &one, a_.data(), type, m_, b_.data(), type,
                     k_, &zero, c.data(), type, m_, compute, CUBLAS_GEMM_DEFAULT);
    cublasDestroy(handle);
    check(status, "cublasGemmEx");
    return c.get();
  }
  std::string block() const {
    return std::string(sizeof(T) == 8 ? "matmul double " : "matmul float ") + std::to_string(m_) + " x " +
           std::to_string(n_) + " x " + std::to_string(k_);
  }
  static constexpr std::size_t most = std::size_t{64} << 20;

 private:
  int m_, n_, k_;
  OnCard<T> a_, b_;
  OnCard<char> area_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
};

template <class T>
void rows_of(Rows& rows, int m, int n, int k) {
  Product<T> const product(m, n, k);
  auto const best = product.offered(product.most, 8);
  if (best.empty())
    return rows.not_measured("cuBLASLt " + product.block(), "its heuristics offer no algorithm");
  auto const first = product.by(best.front());
  auto const add = [&](char const* varied, std::string const& change, std::vector<T> const& found) {
    rows.add({"cuBLASLt", product.block(), varied, change}, compare(first, found));
  };
  rows.add({"cuBLASLt", product.block(), "arrival", "50 runs"},
           compare_runs<T>(first, 50, [&] { return product.by(best.front()); }));
  add("routine", "cublasGemmEx against the first algorithm offered", product.by_cublas());
  if (auto const without = product.offered(0, 1); !without.empty()) {
    add("workspace", "the algorithm for no workspace against that for 64 MiB", product.by(without.front()));
  }
  auto const second = best.size() > 1 ? 1 : 0;
  if (second != 0)
    add("algorithm", "the second algorithm offered against the first", product.by(best[second]));
  std::vector<T> by_parts_of_one;
  for (std::int32_t const parts : {1, 2, 4, 8}) {
    rows.measure("cuBLASLt in " + std::to_string(parts) + " parts", [&] {
      auto algorithm = best.front();
      std::uint32_t const scheme =
          parts == 1 ? CUBLASLT_REDUCTION_SCHEME_NONE : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
      check(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts,
                                                 sizeof parts),
            "parts of k");
      check(cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &scheme,
                                                 sizeof scheme),
            "how parts are added");
      auto const result = product.by(algorithm);
      if (parts == 1) by_parts_of_one = result;
      if (parts == 1 || by_parts_of_one.empty()) return;
      rows.add({"cuBLASLt", product.block(), "split_k", std::to_string(parts) + " parts of k against one"},
               compare(by_parts_of_one, result));
    });
  }
}

}  // namespace

void blas_lt_rows(Rows& rows) {
  rows.version("cuBLASLt", version_by(cublasLtGetProperty));
  rows.measure("cuBLASLt, tall", [&] { rows_of<float>(rows, 64, 64, 65536); });
  rows.measure("cuBLASLt, cube", [&] { rows_of<float>(rows, 1024, 1024, 1024); });
  rows.measure("cuBLASLt, tall, double", [&] { rows_of<double>(rows, 64, 64, 65536); });
  rows.measure("cuBLASLt, cube, double", [&] { rows_of<double>(rows, 1024, 1024, 1024); });
}

}  // namespace ulpine::atlas
