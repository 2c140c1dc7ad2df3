// SPDX-License-Identifier: Apache-2.0
#include "exec/gpu_kernels.hpp"

#include "core/exec/cuda.cuh"
#include "core/exec/products.cuh"

namespace exec_test {

void visit(ulpine::Cuda cuda, ulpine::View<int> visits) {
  ulpine::for_each(cuda, ulpine::Extent1{visits.size()}, Visit{visits});
}

void visit(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, Visit{visits, extent.nx});
}

void visit(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, Visit{visits, extent.nx, extent.ny});
}

void visit_in_parts(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, VisitInParts<2>{{visits, extent.nx, extent.ny}});
  ulpine::for_each(cuda, extent, VisitInParts<4>{{visits, extent.nx, extent.ny}});
}

void visit_climbing(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::View<int> visits) {
  ulpine::for_each(cuda, extent, VisitClimbing{{visits, extent.nx, extent.ny}});
}

void logistic(ulpine::Cuda cuda, double a, ulpine::View<double> x) {
  ulpine::for_each(cuda, x.size(), Logistic{a, x});
}

void relax(ulpine::Cuda cuda, Relax const& relax) { ulpine::for_each(cuda, relax.x.size(), relax); }

namespace {

template <class T>
struct Copied {
  T const* source;
  T* target;
  __device__ void operator()(std::int64_t i) const { target[i] = source[i]; }
};

}  // namespace

template <class T>
void copy_with_products(ulpine::Cuda cuda, ulpine::ProductScratch& scratch, ulpine::View<T const> x,
                        ulpine::View<T const> z, std::int64_t first, ulpine::View<T> y,
                        ulpine::View<double> results) {
  auto const part = [&](ulpine::View<T const> all) {
    return ulpine::View<T const>(all.data() + first, all.size() - first);
  };
  using Product = ulpine::InnerProduct<T, double>;
  auto* const result = results.data();
  ulpine::View<T const> const copy(y.data(), y.size());
  ulpine::for_each_with_products(
      cuda, scratch, x.size(), Copied<T>{x.data(), y.data()},
      std::array{Product{part(x), part(copy), result}, Product{part(copy), part(copy), result + 1},
                 Product{part(x), part(z), result + 2}},
      first, Copied<double>{result, result + 3});
}
template void copy_with_products(ulpine::Cuda, ulpine::ProductScratch&, ulpine::View<double const>,
                                 ulpine::View<double const>, std::int64_t, ulpine::View<double>,
                                 ulpine::View<double>);
template void copy_with_products(ulpine::Cuda, ulpine::ProductScratch&, ulpine::View<float const>,
                                 ulpine::View<float const>, std::int64_t, ulpine::View<float>,
                                 ulpine::View<double>);

template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Smooth<T> const& smooth) {
  ulpine::for_each(cuda, extent, smooth);
}
template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Advance<T> const& advance) {
  ulpine::for_each(cuda, extent, advance);
}
template void launch(ulpine::Cuda, ulpine::Extent3, Smooth<double> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Smooth<float> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Advance<double> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, Advance<float> const&);

}  // namespace exec_test
