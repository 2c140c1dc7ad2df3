// SPDX-License-Identifier: Apache-2.0
// Rows of FFTW: what leaves the bits of a line's transform.
#include <fftw3.h>

#include <memory>

#include "host.hpp"

namespace ulpine::atlas {
namespace {

constexpr int sizes[] = {384, 500, 512, 729, 997};

/// The functions of one precision by the same names.
struct Double {
  using Real = double;
  using Complex = fftw_complex;
  using Plan = fftw_plan;
  static constexpr char const* name = "double";
  static constexpr auto many = fftw_plan_many_dft;
  static constexpr auto many_real = fftw_plan_many_dft_r2c;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto forget = fftw_forget_wisdom;
};
struct Single {
  using Real = float;
  using Complex = fftwf_complex;
  using Plan = fftwf_plan;
  static constexpr char const* name = "float";
  static constexpr auto many = fftwf_plan_many_dft;
  static constexpr auto many_real = fftwf_plan_many_dft_r2c;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto forget = fftwf_forget_wisdom;
};

/// Memory at a multiple of 64 bytes.
template <class Real>
class Aligned {
 public:
  explicit Aligned(std::size_t count)
      : data_(static_cast<Real*>(std::aligned_alloc(64, (count * sizeof(Real) + 127) / 64 * 64))) {}
  Real* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(Real* data) const { std::free(data); }
  };
  std::unique_ptr<Real, Free> data_;
};

struct How {
  int n, batch = 1, stride = 1, dist = 0;
  unsigned flags = FFTW_ESTIMATE;
  bool in_place = false, real = false;
  int shift = 0;  ///< real numbers by which both arrays are moved from a multiple of 64 bytes
};

template <class F>
std::vector<typename F::Real> transformed(How const& how, std::vector<typename F::Real> const& values) {
  using Real = typename F::Real;
  using Complex = typename F::Complex;
  auto const half = how.n / 2 + 1;
  auto const results = how.real ? static_cast<std::size_t>(how.batch) * half * 2 : values.size();
  Aligned<Real> const one(std::max(values.size(), results) + 16), other(results + 16);
  auto* const in = one.data() + how.shift;
  auto* const out = how.in_place ? in : other.data() + how.shift;
  auto const dist = how.dist != 0 ? how.dist : how.n;
  int const n[1] = {how.n};
  F::forget();
  auto const plan =
      how.real ? F::many_real(1, n, how.batch, in, nullptr, 1, how.n, reinterpret_cast<Complex*>(out),
                              nullptr, 1, half, how.flags)
               : F::many(1, n, how.batch, reinterpret_cast<Complex*>(in), nullptr, how.stride, dist,
                         reinterpret_cast<Complex*>(out), nullptr, how.stride, dist, FFTW_FORWARD, how.flags);
  if (plan == nullptr) throw std::runtime_error("FFTW makes no plan");
  std::copy(values.begin(), values.end(), in);  // planning by measurement has overwritten them
  F::execute(plan);
  F::destroy(plan);
  return {out, out + results};
}

template <class Real>
std::vector<Real> part(std::vector<Real> const& values, std::int64_t first, std::int64_t count) {
  return {values.begin() + first, values.begin() + first + count};
}

template <class F>
void rows_of(Rows& rows, int n) {
  using Real = typename F::Real;
  auto const block = std::string("complex ") + F::name + " " + std::to_string(n);
  auto const values = uniform<Real>(std::int64_t{64} * n * 2, 1);
  auto const line = part(values, 0, n * 2);
  auto const alone = transformed<F>({n}, line);
  auto const add = [&](char const* varied, std::string const& change, std::vector<Real> const& kept,
                       std::vector<Real> const& found) {
    rows.add({"FFTW", block, varied, change}, compare(kept, found));
  };
  for (auto const batch : {2, 16, 64}) {
    add("batch", "a line first in a batch of " + std::to_string(batch) + " against it alone", alone,
        part(transformed<F>({n, batch}, part(values, 0, std::int64_t{batch} * n * 2)), 0, n * 2));
  }
  std::vector<Real> repeated;
  for (auto place = 0; place < 17; ++place) repeated.insert(repeated.end(), line.begin(), line.end());
  auto const all = transformed<F>({n, 17}, repeated);
  auto const first = part(all, 0, n * 2);
  auto found = compare(first, first);
  for (auto place = 1; place < 17; ++place)
    found = worse(found, compare(first, part(all, std::int64_t{place} * n * 2, n * 2)));
  rows.add({"FFTW", block, "place", "a line at each of 17 places of a batch"}, found);
  auto const square = uniform<Real>(std::int64_t{n} * n * 2, 3);
  auto const transposed = [n](std::vector<Real> const& from) {
    std::vector<Real> to(from.size());
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t half = 0; half < 2; ++half)
          to[(j * n + i) * 2 + half] = from[(i * n + j) * 2 + half];
      }
    }
    return to;
  };
  add("stride", "columns of an array against contiguous lines", transformed<F>({n, n}, square),
      transposed(transformed<F>({n, n, n, 1}, transposed(square))));
  add("in_place", "in place against out of place", alone,
      transformed<F>({n, 1, 1, 0, FFTW_ESTIMATE, true}, line));
  for (auto const shift : {1, 2, 4}) {
    add("alignment",
        "both arrays moved by " + std::to_string(shift * sizeof(Real)) + " bytes from a multiple of 64",
        alone, transformed<F>({n, 1, 1, 0, FFTW_ESTIMATE, false, false, shift}, line));
  }
  add("flags", "FFTW_UNALIGNED against none", alone,
      transformed<F>({n, 1, 1, 0, FFTW_ESTIMATE | FFTW_UNALIGNED}, line));
  add("planner", "FFTW_MEASURE against FFTW_ESTIMATE", alone,
      transformed<F>({n, 1, 1, 0, FFTW_MEASURE}, line));
  auto const measured = [&] { return transformed<F>({n, 1, 1, 0, FFTW_MEASURE}, line); };
  rows.add({"FFTW", block, "planner", "ten plans by FFTW_MEASURE"},
           compare_runs<Real>(measured(), 10, measured));
  rows.add({"FFTW", block, "arrival", "20 runs"},
           compare_runs<Real>(alone, 20, [&] { return transformed<F>({n}, line); }));
  auto const real = uniform<Real>(n, 4);
  std::vector<Real> complex;
  for (auto const value : real) complex.insert(complex.end(), {value, Real(0)});
  auto const half = (n / 2 + 1) * 2;
  rows.add({"FFTW", std::string("real ") + F::name + " " + std::to_string(n), "real",
            "real input against complex input of imaginary part 0"},
           compare(transformed<F>({n, 1, 1, 0, FFTW_ESTIMATE, false, true}, real),
                   part(transformed<F>({n}, complex), 0, half)));
}

/// A plan of two dimensions against lines and then columns.
template <class F>
void plane_rows(Rows& rows, int n) {
  using Real = typename F::Real;
  using Complex = typename F::Complex;
  auto const values = uniform<Real>(std::int64_t{n} * n * 2, 8);
  Aligned<Real> const in(values.size()), out(values.size());
  int const both[2] = {n, n};
  auto const plan =
      F::many(2, both, 1, reinterpret_cast<Complex*>(in.data()), nullptr, 1, 0,
              reinterpret_cast<Complex*>(out.data()), nullptr, 1, 0, FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan == nullptr) throw std::runtime_error("FFTW makes no plan");
  std::copy(values.begin(), values.end(), in.data());
  F::execute(plan);
  F::destroy(plan);
  auto const by_lines = transformed<F>({n, n, n, 1}, transformed<F>({n, n}, values));
  rows.add({"FFTW", std::string("complex ") + F::name + " " + std::to_string(n) + " x " + std::to_string(n),
            "dimensions", "one plan of two dimensions against lines, then columns"},
           compare({out.data(), out.data() + values.size()}, by_lines));
}

}  // namespace

void fftw_rows(Rows& rows) {
  rows.version("FFTW", std::string(fftw_version).substr(5, std::string(fftw_version).find('-', 5) - 5));
  for (auto const n : sizes) {
    rows.measure("FFTW double", [&] { rows_of<Double>(rows, n); });
    rows.measure("FFTW float", [&] { rows_of<Single>(rows, n); });
    rows.measure("FFTW double, planes", [&] { plane_rows<Double>(rows, n); });
    rows.measure("FFTW float, planes", [&] { plane_rows<Single>(rows, n); });
  }
}

}  // namespace ulpine::atlas
