// SPDX-License-Identifier: Apache-2.0
// Rows of cuSOLVER: factorisations and eigenvalues of dense matrices.
#include <cusolverDn.h>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

constexpr int n = 500;

class Handle {
 public:
  Handle() { check(cusolverDnCreate(&handle_), "cusolverDnCreate"); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  ~Handle() { cusolverDnDestroy(handle_); }
  operator cusolverDnHandle_t() const { return handle_; }

 private:
  cusolverDnHandle_t handle_ = nullptr;
};

/// A symmetric matrix of a strong diagonal, with rows `ld` apart.
std::vector<double> matrix(int ld) {
  auto const entries = uniform<double>(std::int64_t{n} * n, 41);
  std::vector<double> a(static_cast<std::size_t>(ld) * n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(j * ld + i)] =
          entries[static_cast<std::size_t>(i < j ? i * n + j : j * n + i)] + (i == j ? n : 0);
    }
  }
  return a;
}

std::vector<double> without_gaps(std::vector<double> const& a, int ld) {
  std::vector<double> kept;
  for (std::int64_t j = 0; j < n; ++j) kept.insert(kept.end(), a.begin() + j * ld, a.begin() + j * ld + n);
  return kept;
}

std::vector<double> lu(Handle const& handle, int ld) {
  OnCard<double> a(matrix(ld));
  OnCard<int> pivots(n), info(1);
  auto size = 0;
  check(cusolverDnDgetrf_bufferSize(handle, n, n, a.data(), ld, &size), "cusolverDnDgetrf_bufferSize");
  OnCard<double> const area(static_cast<std::size_t>(size) + 1);
  check(cusolverDnDgetrf(handle, n, n, a.data(), ld, area.data(), pivots.data(), info.data()),
        "cusolverDnDgetrf");
  return without_gaps(a.get(), ld);
}

std::vector<double> cholesky(Handle const& handle, int ld) {
  OnCard<double> a(matrix(ld));
  OnCard<int> info(1);
  auto size = 0;
  check(cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, a.data(), ld, &size),
        "cusolverDnDpotrf_bufferSize");
  OnCard<double> const area(static_cast<std::size_t>(size) + 1);
  check(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, a.data(), ld, area.data(), size, info.data()),
        "cusolverDnDpotrf");
  return without_gaps(a.get(), ld);
}

std::vector<double> cholesky_in_batch(Handle const& handle, int place, int batch) {
  std::vector<double> all;
  auto const one = matrix(n);
  for (auto i = 0; i < batch; ++i) all.insert(all.end(), one.begin(), one.end());
  OnCard<double> a(all);
  std::vector<double*> places;
  for (std::int64_t i = 0; i < batch; ++i) places.push_back(a.data() + i * n * n);
  OnCard<double*> const at(places);
  OnCard<int> info(static_cast<std::size_t>(batch));
  check(cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, n, at.data(), n, info.data(), batch),
        "cusolverDnDpotrfBatched");
  return a.get(static_cast<std::size_t>(place) * n * n, static_cast<std::size_t>(n) * n);
}

std::vector<double> qr(Handle const& handle, int ld) {
  OnCard<double> a(matrix(ld)), tau(n);
  OnCard<int> info(1);
  auto size = 0;
  check(cusolverDnDgeqrf_bufferSize(handle, n, n, a.data(), ld, &size), "cusolverDnDgeqrf_bufferSize");
  OnCard<double> const area(static_cast<std::size_t>(size) + 1);
  check(cusolverDnDgeqrf(handle, n, n, a.data(), ld, tau.data(), area.data(), size, info.data()),
        "cusolverDnDgeqrf");
  return without_gaps(a.get(), ld);
}

std::vector<double> eigenvalues(Handle const& handle, int ld) {
  OnCard<double> a(matrix(ld)), values(n);
  OnCard<int> info(1);
  auto size = 0;
  auto constexpr job = CUSOLVER_EIG_MODE_VECTOR;
  check(
      cusolverDnDsyevd_bufferSize(handle, job, CUBLAS_FILL_MODE_LOWER, n, a.data(), ld, values.data(), &size),
      "cusolverDnDsyevd_bufferSize");
  OnCard<double> const area(static_cast<std::size_t>(size) + 1);
  check(cusolverDnDsyevd(handle, job, CUBLAS_FILL_MODE_LOWER, n, a.data(), ld, values.data(), area.data(),
                         size, info.data()),
        "cusolverDnDsyevd");
  auto all = without_gaps(a.get(), ld);
  auto const found = values.get();
  all.insert(all.end(), found.begin(), found.end());
  return all;
}

std::vector<double> eigenvalues_by_jacobi(Handle const& handle) {
  syevjInfo_t parameters = nullptr;
  check(cusolverDnCreateSyevjInfo(&parameters), "cusolverDnCreateSyevjInfo");
  OnCard<double> a(matrix(n)), values(n);
  OnCard<int> info(1);
  auto size = 0;
  auto constexpr job = CUSOLVER_EIG_MODE_VECTOR;
  check(cusolverDnDsyevj_bufferSize(handle, job, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, values.data(), &size,
                                    parameters),
        "cusolverDnDsyevj_bufferSize");
  OnCard<double> const area(static_cast<std::size_t>(size) + 1);
  auto const status = cusolverDnDsyevj(handle, job, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, values.data(),
                                       area.data(), size, info.data(), parameters);
  cusolverDnDestroySyevjInfo(parameters);
  check(status, "cusolverDnDsyevj");
  return values.get();
}

void rows_of(Rows& rows, char const* name, std::vector<double> (*routine)(Handle const&, int)) {
  std::string const block = std::string(name) + " " + std::to_string(n);
  rows.measure("cuSOLVER " + block, [&] {
    Handle const handle;
    auto const first = routine(handle, n);
    rows.add({"cuSOLVER", block, "arrival", "20 runs"},
             compare_runs<double>(first, 20, [&] { return routine(handle, n); }));
    rows.add({"cuSOLVER", block, "handle", "a second handle"}, compare(first, routine(Handle(), n)));
    rows.add({"cuSOLVER", block, "alignment", "leading dimension 501 against 500"},
             compare(first, routine(handle, n + 1)));
#if CUSOLVER_VERSION >= 11600
    Handle const free;
    check(cusolverDnSetDeterministicMode(free, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS),
          "cusolverDnSetDeterministicMode");
    auto const allowed = routine(free, n);
    rows.add({"cuSOLVER", block + ", other bits allowed", "arrival", "20 runs"},
             compare_runs<double>(allowed, 20, [&] { return routine(free, n); }));
    rows.add({"cuSOLVER", block, "math_mode", "CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS against the default"},
             compare(first, allowed));
#endif
  });
}

}  // namespace

void solver_rows(Rows& rows) {
  rows.version("cuSOLVER", version_by(cusolverGetProperty));
  rows_of(rows, "dgetrf", lu);
  rows_of(rows, "dpotrf", cholesky);
  rows_of(rows, "dgeqrf", qr);
  rows_of(rows, "dsyevd", eigenvalues);
  rows.measure("dpotrfBatched", [&] {
    Handle const handle;
    auto const first = cholesky_in_batch(handle, 0, 17);
    auto found = compare(first, first);
    for (auto place = 1; place < 17; place += 3)
      found = worse(found, compare(first, cholesky_in_batch(handle, place, 17)));
    rows.add({"cuSOLVER", "dpotrfBatched 500", "place", "a matrix at six places of a batch of 17"}, found);
    rows.add({"cuSOLVER", "dpotrfBatched 500", "batch", "a batch of 17 against a batch of 1"},
             compare(cholesky_in_batch(handle, 0, 1), first));
    auto const lower = [](std::vector<double> const& a) {
      std::vector<double> kept;
      for (std::int64_t j = 0; j < n; ++j)
        kept.insert(kept.end(), a.begin() + j * n + j, a.begin() + (j + 1) * n);
      return kept;
    };
    rows.add({"cuSOLVER", "dpotrfBatched 500", "routine", "dpotrfBatched against dpotrf, lower triangle"},
             compare(lower(cholesky(handle, n)), lower(first)));
  });
  rows.measure("dsyevj", [&] {
    Handle const handle;
    auto const first = eigenvalues_by_jacobi(handle);
    rows.add({"cuSOLVER", "dsyevj 500", "arrival", "20 runs"},
             compare_runs<double>(first, 20, [&] { return eigenvalues_by_jacobi(handle); }));
    auto const all = eigenvalues(handle, n);
    rows.add({"cuSOLVER", "dsyevj 500", "routine", "eigenvalues of dsyevj against those of dsyevd"},
             compare(std::vector<double>(all.end() - n, all.end()), first));
  });
}

}  // namespace ulpine::atlas
