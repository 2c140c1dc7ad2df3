// SPDX-License-Identifier: Apache-2.0
// Rows of cuFFT: what leaves the bits of a line's transform.
#include <cuda_fp16.h>
#include <cufft.h>
#include <cufftXt.h>
#include <dlfcn.h>

#include <cmath>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

constexpr int sizes[] = {384, 500, 512, 729, 997};

/// How a plan's lines lie: N numbers `stride` apart, lines `dist` apart.
struct Lines {
  int n, batch;
  int stride = 1, dist = 0;  ///< 0: one line after the other
};

/// A type of transform by the scalar type of its numbers.
template <class Real>
constexpr cufftType complex_type = sizeof(Real) == 8 ? CUFFT_Z2Z : CUFFT_C2C;
template <class Real>
constexpr cufftType real_type = sizeof(Real) == 8 ? CUFFT_D2Z : CUFFT_R2C;

class Plan {
 public:
  /// A plan; with `own_area` its work area is memory of the caller's.
  Plan(Lines lines, cufftType type, bool in_place = false, bool own_area = false) {
    check(cufftCreate(&plan_), "cufftCreate");
    if (own_area) check(cufftSetAutoAllocation(plan_, 0), "cufftSetAutoAllocation");
    int n[1] = {lines.n};
    auto const real = type == CUFFT_D2Z || type == CUFFT_R2C;
    auto const half = lines.n / 2 + 1;
    auto const in_dist = lines.dist != 0 ? lines.dist : (real && in_place ? 2 * half : lines.n);
    auto const out_dist = real ? half : (lines.dist != 0 ? lines.dist : lines.n);
    std::size_t bytes = 0;
    check(cufftMakePlanMany(plan_, 1, n, n, lines.stride, in_dist, n, lines.stride, out_dist, type,
                            lines.batch, &bytes),
          "cufftMakePlanMany");
    if (own_area) {
      area_.emplace_back(bytes + 1);
      check(cufftSetWorkArea(plan_, area_.front().data()), "cufftSetWorkArea");
    }
  }
  Plan(int rank, int* n, cufftType type) {
    check(cufftPlanMany(&plan_, rank, n, nullptr, 1, 0, nullptr, 1, 0, type, 1), "cufftPlanMany");
  }
  Plan(Plan const&) = delete;
  Plan& operator=(Plan const&) = delete;
  ~Plan() { cufftDestroy(plan_); }
  void stream(cudaStream_t stream) const { check(cufftSetStream(plan_, stream), "cufftSetStream"); }

  void run(double* in, double* out, int direction = CUFFT_FORWARD) const {
    check(cufftExecZ2Z(plan_, reinterpret_cast<cufftDoubleComplex*>(in),
                       reinterpret_cast<cufftDoubleComplex*>(out), direction),
          "cufftExecZ2Z");
  }
  void run(float* in, float* out, int direction = CUFFT_FORWARD) const {
    check(cufftExecC2C(plan_, reinterpret_cast<cufftComplex*>(in), reinterpret_cast<cufftComplex*>(out),
                       direction),
          "cufftExecC2C");
  }
  void run_real(double* in, double* out) const {
    check(cufftExecD2Z(plan_, in, reinterpret_cast<cufftDoubleComplex*>(out)), "cufftExecD2Z");
  }
  void run_real(float* in, float* out) const {
    check(cufftExecR2C(plan_, in, reinterpret_cast<cufftComplex*>(out)), "cufftExecR2C");
  }

 private:
  cufftHandle plan_ = 0;
  std::vector<OnCard<char>> area_;
};

template <class Real>
std::string type_name(bool real = false) {
  if (real) return sizeof(Real) == 8 ? "D2Z" : "R2C";
  return sizeof(Real) == 8 ? "Z2Z" : "C2C";
}

template <class Real>
std::vector<Real> transformed(Lines lines, std::vector<Real> const& values) {
  OnCard<Real> in(values), out(values.size());
  Plan(lines, complex_type<Real>).run(in.data(), out.data());
  return out.get();
}

template <class Real>
std::vector<Real> part(std::vector<Real> const& values, std::int64_t first, std::int64_t count) {
  return {values.begin() + first, values.begin() + first + count};
}

/// Line 0 in plans of several batches.
template <class Real>
void batch_rows(Rows& rows, int n) {
  auto const values = uniform<Real>(std::int64_t{512} * n * 2, 1);
  auto const line = [&](int batch) {
    return part(transformed<Real>({n, batch}, part(values, 0, std::int64_t{batch} * n * 2)), 0, n * 2);
  };
  auto const alone = line(1);
  for (auto const batch : {2, 16, 512}) {
    rows.add({"cuFFT", type_name<Real>() + " " + std::to_string(n), "batch",
              "a line first in a batch of " + std::to_string(batch) + " against it alone"},
             compare(alone, line(batch)));
  }
  auto const others = [&](int batch) {  // the batch that a rank or a block has of the same lines
    return part(transformed<Real>({n, batch}, part(values, 0, std::int64_t{batch} * n * 2)), 0,
                std::int64_t{48} * n * 2);
  };
  rows.add({"cuFFT", type_name<Real>() + " " + std::to_string(n), "batch",
            "48 lines of a batch of 64 against a batch of 48"},
           compare(others(48), others(64)));
}

/// The same line at each place of a batch of 17.
template <class Real>
void place_rows(Rows& rows, int n) {
  auto const line = uniform<Real>(n * 2, 2);
  std::vector<Real> values;
  for (auto place = 0; place < 17; ++place) values.insert(values.end(), line.begin(), line.end());
  auto const results = transformed<Real>({n, 17}, values);
  auto const first = part(results, 0, n * 2);
  auto found = compare(first, first);
  for (auto place = 1; place < 17; ++place)
    found = worse(found, compare(first, part(results, std::int64_t{place} * n * 2, n * 2)));
  rows.add({"cuFFT", type_name<Real>() + " " + std::to_string(n), "place",
            "a line at each of 17 places of a batch"},
           found);
}

/// N lines of N, contiguous and as the columns of the transposed array.
template <class Real>
void stride_rows(Rows& rows, int n) {
  auto const values = uniform<Real>(std::int64_t{n} * n * 2, 3);
  auto const transposed = [n](std::vector<Real> const& from) {
    std::vector<Real> to(from.size());
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t part = 0; part < 2; ++part)
          to[(j * n + i) * 2 + part] = from[(i * n + j) * 2 + part];
      }
    }
    return to;
  };
  rows.add({"cuFFT", type_name<Real>() + " " + std::to_string(n), "stride",
            "columns of an array against contiguous lines"},
           compare(transformed<Real>({n, n}, values),
                   transposed(transformed<Real>({n, n, n, 1}, transposed(values)))));
}

/// Real against complex input, and the symmetries of an exact transform.
template <class Real>
void symmetry_rows(Rows& rows, int n) {
  auto const real = uniform<Real>(n, 4);
  auto const half = n / 2 + 1;
  auto const complex_of = [](std::vector<Real> const& from) {
    std::vector<Real> to;
    for (auto const value : from) to.insert(to.end(), {value, Real(0)});
    return to;
  };
  auto const spectrum = transformed<Real>({n, 1}, complex_of(real));
  OnCard<Real> in(real), out(static_cast<std::size_t>(half) * 2);
  Plan({n, 1}, real_type<Real>).run_real(in.data(), out.data());
  auto const block = type_name<Real>() + " " + std::to_string(n);
  rows.add({"cuFFT", type_name<Real>(true) + " " + std::to_string(n), "real",
            "real input against complex input of imaginary part 0"},
           compare(out.get(), part(spectrum, 0, half * 2)));
  std::vector<Real> mirrored, kept;
  for (auto k = 1; k < n; ++k) {
    if (2 * k == n) continue;
    kept.insert(kept.end(), {spectrum[k * 2] + Real(0), spectrum[k * 2 + 1] + Real(0)});
    mirrored.insert(mirrored.end(), {spectrum[(n - k) * 2] + Real(0), -spectrum[(n - k) * 2 + 1] + Real(0)});
  }
  rows.add({"cuFFT", block, "symmetry",
            "X[N-k] against the conjugate of X[k] of a real line, zeros of both signs alike"},
           compare(kept, mirrored));
  std::vector<Real> constant(static_cast<std::size_t>(n), Real(0.1));
  auto flat = transformed<Real>({n, 1}, complex_of(constant));
  flat.erase(flat.begin(), flat.begin() + 2);
  for (auto& value : flat) value += Real(0);
  rows.add({"cuFFT", block, "symmetry", "X[k] of a constant line against 0, k > 0"},
           compare(std::vector<Real>(flat.size()), flat));
  if (n % 2 != 0) return;
  auto const line = uniform<Real>(n * 2, 5);
  auto shifted = part(line, n, n);
  shifted.insert(shifted.end(), line.begin(), line.begin() + n);
  auto expected = transformed<Real>({n, 1}, line), found = transformed<Real>({n, 1}, shifted);
  for (auto k = 0; k < n; ++k) {
    for (auto part = 0; part < 2; ++part) {
      found[k * 2 + part] += Real(0);
      expected[k * 2 + part] = (k % 2 == 0 ? expected[k * 2 + part] : -expected[k * 2 + part]) + Real(0);
    }
  }
  rows.add({"cuFFT", block, "symmetry", "X[k] of a line shifted by N/2 against (-1)^k X[k]"},
           compare(expected, found));
}

/// FFTW on the host, where its library is found at run time.
class Fftw {
 public:
  Fftw() : handle_(dlopen("libfftw3.so.3", RTLD_NOW)) {
    if (handle_ == nullptr) throw std::runtime_error("no libfftw3.so.3 found");
    plan_ = reinterpret_cast<decltype(plan_)>(dlsym(handle_, "fftw_plan_dft_1d"));
    execute_ = reinterpret_cast<decltype(execute_)>(dlsym(handle_, "fftw_execute"));
    destroy_ = reinterpret_cast<decltype(destroy_)>(dlsym(handle_, "fftw_destroy_plan"));
    if (plan_ == nullptr || execute_ == nullptr || destroy_ == nullptr)
      throw std::runtime_error("libfftw3.so.3 lacks functions");
  }
  std::vector<double> transformed(int n, std::vector<double> values) const {
    constexpr auto forward = -1;
    constexpr unsigned estimate = 1u << 6;
    std::vector<double> out(values.size());
    auto* const plan = plan_(n, values.data(), out.data(), forward, estimate);
    execute_(plan);
    destroy_(plan);
    return out;
  }

 private:
  void* handle_;
  void* (*plan_)(int, double*, double*, int, unsigned) = nullptr;
  void (*execute_)(void*) = nullptr;
  void (*destroy_)(void*) = nullptr;
};

void host_rows(Rows& rows) {
  Fftw const fftw;
  for (auto const n : sizes) {
    auto const line = uniform<double>(n * 2, 9);
    rows.add({"cuFFT", "Z2Z " + std::to_string(n), "device", "cuFFT on the card against FFTW on the host"},
             compare(fftw.transformed(n, line), transformed<double>({n, 1}, line)));
  }
}

/// In place, with an own work area, from a graph, on two streams at once, run after run: 512 lines of 512.
template <class Real>
void way_rows(Rows& rows, bool real, int n) {
  auto const batch = 512;
  auto const half = n / 2 + 1;
  auto const type = real ? real_type<Real> : complex_type<Real>;
  auto const block = type_name<Real>(real) + " " + std::to_string(n);
  auto const values = uniform<Real>(std::int64_t{batch} * n * (real ? 1 : 2), 6);
  auto const results = static_cast<std::size_t>(batch) * (real ? half : n) * 2;
  OnCard<Real> in(values);
  auto const run = [&](Plan const& plan, Real* from, Real* to) {
    real ? plan.run_real(from, to) : plan.run(from, to);
  };
  Plan const plain({n, batch}, type);
  auto const once = [&] {
    OnCard<Real> out(results);
    run(plain, in.data(), out.data());
    return out.get();
  };
  auto const first = once();
  rows.add({"cuFFT", block, "arrival", "100 runs"}, compare_runs<Real>(first, 100, once));
  {
    OnCard<Real> both(results);
    if (real) {
      std::vector<Real> padded(results);
      for (std::int64_t line = 0; line < batch; ++line) {
        for (auto i = 0; i < n; ++i) padded[line * 2 * half + i] = values[line * n + i];
      }
      both.set(padded);
    } else {
      both.set(values);
    }
    Plan const in_place({n, batch}, type, true);
    run(in_place, both.data(), both.data());
    rows.add({"cuFFT", block, "in_place", "in place against out of place"}, compare(first, both.get()));
  }
  {
    OnCard<Real> out(results);
    Plan const own({n, batch}, type, false, true);
    run(own, in.data(), out.data());
    rows.add({"cuFFT", block, "workspace", "a work area of the caller's"}, compare(first, out.get()));
  }
  rows.measure("cuFFT in a graph", [&] {
    OnCard<Real> out(results);
    OwnStream const stream;
    Plan const recorded({n, batch}, type);
    recorded.stream(stream.get());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    run(recorded, in.data(), out.data());
    check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphLaunch(replay, stream.get()), "cudaGraphLaunch");
    auto const replayed = out.get();
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    rows.add({"cuFFT", block, "graph", "replayed from a graph"}, compare(first, replayed));
  });
  {
    OnCard<Real> one(results), other(results);
    OwnStream const left, right;
    Plan const on_left({n, batch}, type), on_right({n, batch}, type);
    on_left.stream(left.get());
    on_right.stream(right.get());
    auto found = compare(first, first);
    for (auto turn = 0; turn < 50; ++turn) {
      run(on_left, in.data(), one.data());
      run(on_right, in.data(), other.data());
      found = worse(found, worse(compare(first, one.get()), compare(first, other.get())));
    }
    rows.add({"cuFFT", block, "stream", "two streams at once, 50 times"}, found);
  }
}

/// Lines of complex half numbers.
void half_rows(Rows& rows) {
  auto constexpr n = 512, places = 17;
  auto const line = uniform<float>(n * 2, 7);
  std::vector<std::uint16_t> bits;
  for (auto place = 0; place < places; ++place) {
    for (auto const value : line) {
      auto const half = __float2half(value);
      std::uint16_t word;
      std::memcpy(&word, &half, sizeof word);
      bits.push_back(word);
    }
  }
  auto const run = [&](long long batch) {
    OnCard<std::uint16_t> in(part(bits, 0, batch * n * 2)), out(static_cast<std::size_t>(batch) * n * 2);
    cufftHandle plan = 0;
    check(cufftCreate(&plan), "cufftCreate");
    long long size[1] = {n};
    std::size_t bytes = 0;
    check(cufftXtMakePlanMany(plan, 1, size, nullptr, 1, n, CUDA_C_16F, nullptr, 1, n, CUDA_C_16F, batch,
                              &bytes, CUDA_C_16F),
          "cufftXtMakePlanMany");
    check(cufftXtExec(plan, in.data(), out.data(), CUFFT_FORWARD), "cufftXtExec");
    auto const results = out.get();
    cufftDestroy(plan);
    return results;
  };
  auto const all = run(places);
  auto const first = part(all, 0, n * 2);
  auto found = compare(first, first);
  for (auto place = 1; place < places; ++place)
    found = worse(found, compare(first, part(all, std::int64_t{place} * n * 2, n * 2)));
  rows.add({"cuFFT", "complex half 512", "place", "a line at each of 17 places of a batch"}, found);
  rows.add({"cuFFT", "complex half 512", "batch", "a line first in a batch of 17 against it alone"},
           compare(run(1), first));
}

/// A plan of two dimensions against lines and then columns.
void plane_rows(Rows& rows, int n) {
  auto const values = uniform<double>(std::int64_t{n} * n * 2, 8);
  OnCard<double> in(values), plane(values.size()), by_lines(values.size());
  int both[2] = {n, n};
  Plan(2, both, CUFFT_Z2Z).run(in.data(), plane.data());
  Plan({n, n}, CUFFT_Z2Z).run(in.data(), by_lines.data());
  Plan({n, n, n, 1}, CUFFT_Z2Z).run(by_lines.data(), by_lines.data());
  rows.add({"cuFFT", "Z2Z " + std::to_string(n) + " x " + std::to_string(n), "dimensions",
            "one plan of two dimensions against lines, then columns"},
           compare(plane.get(), by_lines.get()));
}

}  // namespace

void fft_rows(Rows& rows) {
  rows.version("cuFFT", version_by(cufftGetProperty));
  for (auto const n : sizes) {
    rows.measure("cuFFT Z2Z " + std::to_string(n), [&] {
      batch_rows<double>(rows, n);
      place_rows<double>(rows, n);
      stride_rows<double>(rows, n);
      symmetry_rows<double>(rows, n);
    });
    rows.measure("cuFFT C2C " + std::to_string(n), [&] {
      batch_rows<float>(rows, n);
      place_rows<float>(rows, n);
      stride_rows<float>(rows, n);
      symmetry_rows<float>(rows, n);
    });
  }
  for (auto const n : {512, 997}) {
    rows.measure("cuFFT Z2Z, ways", [&] { way_rows<double>(rows, false, n); });
    rows.measure("cuFFT D2Z, ways", [&] { way_rows<double>(rows, true, n); });
    rows.measure("cuFFT C2C, ways", [&] { way_rows<float>(rows, false, n); });
  }
  rows.measure("cuFFT against FFTW", [&] { host_rows(rows); });
  rows.measure("cuFFT half", [&] { half_rows(rows); });
  for (auto const n : {512, 500}) rows.measure("cuFFT planes", [&] { plane_rows(rows, n); });
}

}  // namespace ulpine::atlas
