// SPDX-License-Identifier: Apache-2.0
// Rows of cuSPARSE: products of sparse matrices with vectors and blocks of vectors.
#include <cusparse.h>

#include <cmath>
#include <numeric>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

template <class T>
struct Matrix {
  int rows, columns;
  std::vector<int> first, column;
  std::vector<T> value;
};

/// Rows of 5 entries at random places, ascending.
template <class T>
Matrix<T> short_rows(int rows) {
  Matrix<T> matrix{rows, rows, {0}, {}, {}};
  Generator generator(31);
  for (auto row = 0; row < rows; ++row) {
    int at = static_cast<int>(generator.next() % 1000);
    for (auto entry = 0; entry < 5; ++entry) {
      matrix.column.push_back(std::min(rows - 5 + entry, (row + at) % (rows - 5000) + entry * 997));
      matrix.value.push_back(generator.uniform<T>());
    }
    matrix.first.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

/// Rows of 1 to 50000 entries in turn, most of them short.
template <class T>
Matrix<T> long_rows() {
  auto constexpr columns = 60000;
  Matrix<T> matrix{2000, columns, {0}, {}, {}};
  Generator generator(32);
  for (auto row = 0; row < matrix.rows; ++row) {
    auto const entries = row % 200 == 0 ? 50000 : static_cast<int>(1 + generator.next() % 300);
    auto const start = static_cast<int>(generator.next() % static_cast<std::uint64_t>(columns - entries));
    for (auto entry = 0; entry < entries; ++entry) {
      matrix.column.push_back(start + entry);
      matrix.value.push_back(generator.uniform<T>());
    }
    matrix.first.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

template <class T>
class Products {
 public:
  static constexpr auto type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;

  explicit Products(Matrix<T> const& matrix)
      : rows_(matrix.rows),
        columns_(matrix.columns),
        first_(matrix.first),
        column_(matrix.column),
        value_(matrix.value),
        row_(rows_of(matrix)) {
    check(cusparseCreate(&handle_), "cusparseCreate");
    auto const entries = static_cast<std::int64_t>(matrix.value.size());
    check(cusparseCreateCsr(&csr_, rows_, columns_, entries, first_.data(), column_.data(), value_.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateCsr");
    check(cusparseCreateCoo(&coo_, rows_, columns_, entries, row_.data(), column_.data(), value_.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
          "cusparseCreateCoo");
  }
  Products(Products const&) = delete;
  Products& operator=(Products const&) = delete;
  ~Products() {
    cusparseDestroySpMat(coo_);
    cusparseDestroySpMat(csr_);
    cusparseDestroy(handle_);
  }

  /// y = A x or A^T x.
  std::vector<T> times(T const* x, cusparseSpMVAlg_t algorithm, bool transposed = false,
                       bool coordinates = false, bool prepared = false) const {
    auto const operation = transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    auto const in = transposed ? rows_ : columns_, out = transposed ? columns_ : rows_;
    OnCard<T> result(static_cast<std::size_t>(out));
    cusparseDnVecDescr_t from = nullptr, to = nullptr;
    check(cusparseCreateDnVec(&from, in, const_cast<T*>(x), type), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&to, out, result.data(), type), "cusparseCreateDnVec");
    T const one = 1, zero = 0;
    std::size_t bytes = 0;
    auto const matrix = coordinates ? coo_ : csr_;
    check(cusparseSpMV_bufferSize(handle_, operation, &one, matrix, from, &zero, to, type, algorithm, &bytes),
          "cusparseSpMV_bufferSize");
    OnCard<char> const area(bytes + 1);
#if CUSPARSE_VERSION >= 12400
    if (prepared)
      check(cusparseSpMV_preprocess(handle_, operation, &one, matrix, from, &zero, to, type, algorithm,
                                    area.data()),
            "cusparseSpMV_preprocess");
#else
    if (prepared) throw std::runtime_error("cusparseSpMV_preprocess came with cuSPARSE 12.4");
#endif
    auto const status =
        cusparseSpMV(handle_, operation, &one, matrix, from, &zero, to, type, algorithm, area.data());
    cusparseDestroyDnVec(to);
    cusparseDestroyDnVec(from);
    check(status, "cusparseSpMV");
    return result.get();
  }

  /// A times `width` vectors, column major.
  std::vector<T> block(T const* x, int width, cusparseSpMMAlg_t algorithm) const {
    OnCard<T> result(static_cast<std::size_t>(rows_) * width);
    cusparseDnMatDescr_t from = nullptr, to = nullptr;
    check(cusparseCreateDnMat(&from, columns_, width, columns_, const_cast<T*>(x), type, CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&to, rows_, width, rows_, result.data(), type, CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
    T const one = 1, zero = 0;
    std::size_t bytes = 0;
    auto constexpr plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check(
        cusparseSpMM_bufferSize(handle_, plain, plain, &one, csr_, from, &zero, to, type, algorithm, &bytes),
        "cusparseSpMM_bufferSize");
    OnCard<char> const area(bytes + 1);
    auto const status =
        cusparseSpMM(handle_, plain, plain, &one, csr_, from, &zero, to, type, algorithm, area.data());
    cusparseDestroyDnMat(to);
    cusparseDestroyDnMat(from);
    check(status, "cusparseSpMM");
    return result.get();
  }

 private:
  static std::vector<int> rows_of(Matrix<T> const& matrix) {
    std::vector<int> rows;
    for (auto row = 0; row < matrix.rows; ++row) {
      rows.insert(rows.end(),
                  static_cast<std::size_t>(matrix.first[static_cast<std::size_t>(row) + 1] -
                                           matrix.first[static_cast<std::size_t>(row)]),
                  row);
    }
    return rows;
  }

  int rows_, columns_;
  OnCard<int> first_, column_;
  OnCard<T> value_;
  OnCard<int> row_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t csr_ = nullptr, coo_ = nullptr;
};

template <class T>
void rows_of(Rows& rows, std::string const& kind, Matrix<T> const& matrix) {
  auto const block = std::string("SpMV ") + (sizeof(T) == 8 ? "double, " : "float, ") + kind;
  auto const x = uniform<T>(std::max(matrix.columns, matrix.rows), 33);
  Products<T> const products(matrix);
  OnCard<T> const in(x);
  auto const runs = [&](std::string const& what, cusparseSpMVAlg_t algorithm, bool transposed,
                        bool coordinates) {
    std::vector<T> first;
    rows.measure(block + ", " + what, [&] {
      auto const run = [&] { return products.times(in.data(), algorithm, transposed, coordinates); };
      first = run();
      rows.add({"cuSPARSE", block + ", " + what, "arrival", "50 runs"}, compare_runs<T>(first, 50, run));
    });
    return first;
  };
  auto const one = runs("CSR ALG1", CUSPARSE_SPMV_CSR_ALG1, false, false),
             two = runs("CSR ALG2", CUSPARSE_SPMV_CSR_ALG2, false, false);
  runs("CSR transposed", CUSPARSE_SPMV_ALG_DEFAULT, true, false);
  auto const coo = runs("COO ALG1", CUSPARSE_SPMV_COO_ALG1, false, true),
             coo2 = runs("COO ALG2", CUSPARSE_SPMV_COO_ALG2, false, true);
  std::vector<T> serial;
  for (auto row = 0; row < matrix.rows; ++row) {
    T sum = 0;
    for (auto i = matrix.first[static_cast<std::size_t>(row)];
         i < matrix.first[static_cast<std::size_t>(row) + 1]; ++i) {
      sum = std::fma(matrix.value[static_cast<std::size_t>(i)],
                     x[static_cast<std::size_t>(matrix.column[static_cast<std::size_t>(i)])], sum);
    }
    serial.push_back(sum);
  }
  auto const add = [&](std::string const& what, char const* varied, std::string const& change,
                       std::vector<T> const& kept, std::vector<T> const& found) {
    if (!kept.empty() && !found.empty())
      rows.add({"cuSPARSE", block + what, varied, change}, compare(kept, found));
  };
  add("", "algorithm", "CSR ALG1 against CSR ALG2", two, one);
  add("", "algorithm", "COO ALG2 against CSR ALG2", two, coo2);
  add("", "algorithm", "COO ALG1 against COO ALG2", coo2, coo);
  add(", CSR ALG1", "definition", "the chain of fused multiply-adds along a row against the library", serial,
      one);
  add(", CSR ALG2", "definition", "the chain of fused multiply-adds along a row against the library", serial,
      two);
  OnCard<T> moved(x.size() + 1);
  moved.set(x, 1);
  add(", CSR ALG2", "alignment", "x moved by one element", two,
      products.times(moved.data() + 1, CUSPARSE_SPMV_CSR_ALG2));
  rows.measure(block + ", prepared", [&] {
    add(", CSR ALG2", "workspace", "after cusparseSpMV_preprocess", two,
        products.times(in.data(), CUSPARSE_SPMV_CSR_ALG2, false, false, true));
  });
  rows.measure(block + ", of a block", [&] {
    auto constexpr width = 8;
    std::vector<T> many;
    for (auto column = 0; column < width; ++column)
      many.insert(many.end(), x.begin(), x.begin() + matrix.columns);
    OnCard<T> const from(many);
    for (auto const& [name, algorithm] :
         {std::pair{"CSR ALG2", CUSPARSE_SPMM_CSR_ALG2}, std::pair{"CSR ALG3", CUSPARSE_SPMM_CSR_ALG3}}) {
      auto const run = [&, algorithm = algorithm] { return products.block(from.data(), width, algorithm); };
      auto const all = run();
      auto const spmm = std::string("SpMM ") + (sizeof(T) == 8 ? "double, " : "float, ") + kind + ", " + name;
      rows.add({"cuSPARSE", spmm, "arrival", "20 runs"}, compare_runs<T>(all, 20, run));
      std::vector<T> const column(all.begin(), all.begin() + matrix.rows);
      auto found = compare(column, column);
      for (std::int64_t place = 1; place < width; ++place) {
        found = worse(found, compare(column, std::vector<T>(all.begin() + place * matrix.rows,
                                                            all.begin() + (place + 1) * matrix.rows)));
      }
      rows.add({"cuSPARSE", spmm, "place", "a vector at each of 8 places of a block"}, found);
      add(", CSR ALG2", "batch", std::string("first of a block of 8 by SpMM ") + name + " against SpMV", two,
          column);
    }
  });
}

}  // namespace

void sparse_rows(Rows& rows) {
  rows.version("cuSPARSE", version_by(cusparseGetProperty));
  rows.measure("rows of 5", [&] { rows_of(rows, "rows of 5", short_rows<double>(1000000)); });
  rows.measure("long rows", [&] { rows_of(rows, "rows of up to 50000", long_rows<double>()); });
  rows.measure("rows of 5, float", [&] { rows_of(rows, "rows of 5", short_rows<float>(1000000)); });
  rows.measure("long rows, float", [&] { rows_of(rows, "rows of up to 50000", long_rows<float>()); });
}

}  // namespace ulpine::atlas
