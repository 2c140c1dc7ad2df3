// SPDX-License-Identifier: Apache-2.0
#include "precision/device_kernels.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "core/exec/cuda.cuh"
#include "precision/formats.hpp"

namespace precision_test {

using namespace ulpine;

void run(Cuda cuda, Evaluation<float> evaluation) { for_each(cuda, evaluation.x.size(), evaluation); }
void run(Cuda cuda, Evaluation<double> evaluation) { for_each(cuda, evaluation.x.size(), evaluation); }

namespace {

__device__ float from_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x, kind)));
}

__device__ float convert(Conversion conversion, float x) {
  switch (conversion) {
    case Conversion::tf32_rna: {
      std::uint32_t bits;
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
      return __uint_as_float(bits);
    }
    case Conversion::bf16_rn:
      return __bfloat162float(__float2bfloat16_rn(x));
    case Conversion::fp16_rn:
      return __half2float(__float2half_rn(x));
    case Conversion::e4m3:
      return from_fp8(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3), __NV_E4M3);
    case Conversion::e4m3_saturating:
      return from_fp8(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3), __NV_E4M3);
    case Conversion::e5m2:
      return from_fp8(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2), __NV_E5M2);
    case Conversion::e5m2_saturating:
      return from_fp8(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2), __NV_E5M2);
  }
  return x;
}

ULPINE_HD float round_as(Conversion conversion, float x) {
  FloatFormat e4m3 = fp8_e4m3_format, e5m2 = fp8_e5m2_format;
  e4m3.overflow = e5m2.overflow = Overflow::saturate;
  switch (conversion) {
    case Conversion::tf32_rna:
      return Tf32::round(x);
    case Conversion::bf16_rn:
      return Bfloat16::round(x);
    case Conversion::fp16_rn:
      return Binary16::round(x);
    case Conversion::e4m3:
      return Fp8E4m3::round(x);
    case Conversion::e4m3_saturating:
      return round_to(e4m3, x);
    case Conversion::e5m2:
      return Fp8E5m2::round(x);
    case Conversion::e5m2_saturating:
      return round_to(e5m2, x);
  }
  return x;
}

struct ConversionComparison {
  Conversion conversion;
  View<ConversionMismatches> result;
  __device__ void operator()(std::int64_t i) const {
    float const x = from_bits(static_cast<std::uint32_t>(i));
    float const ours = round_as(conversion, x), theirs = convert(conversion, x);
    bool const both_nan = ours != ours && theirs != theirs;
    if (x != x && ours != ours && theirs == theirs) {
      atomicAdd(reinterpret_cast<unsigned long long*>(&result[0].nan_lost_by_device), 1ull);
      result[0].lost_example = static_cast<std::uint64_t>(i);
      result[0].lost_result = to_bits(theirs);
    } else if (!both_nan && to_bits(ours) != to_bits(theirs)) {
      atomicAdd(reinterpret_cast<unsigned long long*>(&result[0].count), 1ull);
      result[0].example = static_cast<std::uint64_t>(i);
    }
  }
};

/// Registers of a lane as the PTX manual lays out the fragments of m16n8k8 for .tf32.
__global__ void tf32_mma(int steps, View<float const> a, View<float const> b, View<float const> c,
                         View<float> d) {
  auto const tile = static_cast<std::int64_t>(blockIdx.x);
  int const group = static_cast<int>(threadIdx.x) >> 2, member = static_cast<int>(threadIdx.x) & 3;
  std::int64_t const upper = 128 * tile + 8 * group + 2 * member, lower = upper + 64;
  float d0 = c[upper], d1 = c[upper + 1], d2 = c[lower], d3 = c[lower + 1];
  for (int step = 0; step < steps; ++step) {
    std::int64_t const a_start = 128 * (tile * steps + step) + 8 * group + member;
    std::int64_t const b_start = 64 * (tile * steps + step) + 8 * member + group;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(__float_as_uint(a[a_start])), "r"(__float_as_uint(a[a_start + 64])),
          "r"(__float_as_uint(a[a_start + 4])), "r"(__float_as_uint(a[a_start + 68])),
          "r"(__float_as_uint(b[b_start])), "r"(__float_as_uint(b[b_start + 32])));
  }
  d[upper] = d0, d[upper + 1] = d1, d[lower] = d2, d[lower + 1] = d3;
}

}  // namespace

void compare_conversion(Cuda cuda, Conversion conversion, View<ConversionMismatches> result) {
  for_each(cuda, std::int64_t{1} << 32, ConversionComparison{conversion, result});
}

void run_tf32_mma(Cuda cuda, std::int64_t tiles, int steps, View<float const> a, View<float const> b,
                  View<float const> c, View<float> d) {
  DeviceGuard const guard(cuda.ordinal);
  tf32_mma<<<static_cast<unsigned>(tiles), 32, 0, cuda.stream>>>(steps, a, b, c, d);
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace precision_test
