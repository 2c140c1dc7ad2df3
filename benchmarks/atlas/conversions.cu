// SPDX-License-Identifier: Apache-2.0
#include "conversions.hpp"

#include <cuda_fp16.h>
#include <thrust/complex.h>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

__global__ void convert_on_card(Odd const* x, std::int64_t* to) { convert(*x, to); }

__host__ __device__ std::uint16_t word(__half x) {
  return bits_of<std::uint16_t>(static_cast<__half_raw>(x));
}

__global__ void make_halves(std::int64_t count, double const* x, std::uint16_t* direct,
                            std::uint16_t* through_float) {
  auto const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  direct[i] = word(__double2half(x[i]));
  through_float[i] = word(__float2half(static_cast<float>(x[i])));
}

__global__ void square(std::int64_t count, double const* z, double* imaginary) {
  auto const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  thrust::complex<double> const number(z[2 * i], z[2 * i + 1]);
  imaginary[i] = (number * thrust::conj(number)).imag();
}

unsigned blocks(std::size_t count) { return static_cast<unsigned>((count + 255) / 256); }

}  // namespace

std::vector<std::int64_t> converted_on_card(Odd const& x) {
  OnCard<Odd> const in(std::vector<Odd>{x});
  OnCard<std::int64_t> out(conversion_count);
  convert_on_card<<<1, 1>>>(in.data(), out.data());
  check(cudaGetLastError(), "convert_on_card");
  return out.get();
}

void halves_on_card(std::vector<double> const& x, std::vector<std::uint16_t>& direct,
                    std::vector<std::uint16_t>& through_float) {
  OnCard<double> const in(x);
  OnCard<std::uint16_t> one(x.size()), other(x.size());
  make_halves<<<blocks(x.size()), 256>>>(static_cast<std::int64_t>(x.size()), in.data(), one.data(),
                                         other.data());
  check(cudaGetLastError(), "make_halves");
  direct = one.get();
  through_float = other.get();
}

void halves_on_host(std::vector<double> const& x, std::vector<std::uint16_t>& direct,
                    std::vector<std::uint16_t>& through_float) {
  for (auto const value : x) {
    direct.push_back(word(__double2half(value)));
    through_float.push_back(word(__float2half(static_cast<float>(value))));
  }
}

std::vector<double> imaginary_of_squares(std::vector<double> const& z) {
  OnCard<double> const in(z);
  OnCard<double> out(z.size() / 2);
  square<<<blocks(z.size() / 2), 256>>>(static_cast<std::int64_t>(z.size() / 2), in.data(), out.data());
  check(cudaGetLastError(), "square");
  return out.get();
}

}  // namespace ulpine::atlas
