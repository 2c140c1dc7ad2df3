// SPDX-License-Identifier: Apache-2.0
// In place of the launches, which nvcc compiles elsewhere: a clear of the target's first bytes, on the stream
// and the device that they are given.
#include "core/exec/reduce.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations_impl.hpp"

namespace ulpine {

void add_field_hashes(std::span<HashTask const> tasks, Cuda cuda, std::uint64_t* words,
                      std::uint64_t* const* words_at) {
  for (auto const& task : tasks) {
    if (words_at == nullptr) detail::fill_zero(cuda, words + task.first_word, sizeof(std::uint64_t));
  }
}
void set_device_pointer(Cuda cuda, std::uint64_t** target, std::uint64_t*) {
  detail::fill_zero(cuda, target, sizeof *target);
}

namespace detail {

void pack_on_device(RawField const& field, std::int64_t, std::int64_t, ValueType, void* device_target,
                    RawField const*) {
  fill_zero(field.cuda, device_target, 1);
}
void unpack_on_device(RawField const& field, std::int64_t, std::int64_t, ValueType, void const*) {
  fill_zero(field.cuda, field.data, 1);
}
void find_invalid_on_device(RawField const& field, ValueRange const&, RawField const*,
                            long long* device_found) {
  fill_zero(field.cuda, device_found, sizeof *device_found);
}
void add_noise_on_device(RawField const& field, Noise const&, RawField const*) {
  fill_zero(field.cuda, field.data, 1);
}

template <class T>
void deposit_values(Cuda cuda, ReductionPlan const&, Values<T>, Values<T>, std::int64_t, std::int64_t,
                    std::int64_t* scratch) {
  fill_zero(cuda, scratch, sizeof(std::int64_t));
}
template <class R>
void finish_sum(Cuda cuda, std::int64_t* scratch, bool, R* target) {
  fill_zero(cuda, target == nullptr ? static_cast<void*>(scratch) : target, sizeof(R));
}
template <class T>
void reduce_extreme(Cuda cuda, ReductionPlan const&, Values<T>, bool, typename OrderKey<T>::Key*, T* target) {
  fill_zero(cuda, target, sizeof(T));
}
void share_sum(Cuda cuda, std::int64_t*, std::uint64_t* shared) { fill_zero(cuda, shared, sizeof *shared); }
template <class R>
void take_shared_sum(Cuda cuda, std::uint64_t const*, R* target) {
  fill_zero(cuda, target, sizeof(R));
}
template <class T>
void share_extreme(Cuda cuda, T const*, bool, std::int64_t* shared) {
  fill_zero(cuda, shared, sizeof *shared);
}
template <class T>
void take_shared_extreme(Cuda cuda, std::int64_t const*, bool, T* target) {
  fill_zero(cuda, target, sizeof(T));
}
template void deposit_values(Cuda, ReductionPlan const&, Values<double>, Values<double>, std::int64_t,
                             std::int64_t, std::int64_t*);
template void deposit_values(Cuda, ReductionPlan const&, Values<float>, Values<float>, std::int64_t,
                             std::int64_t, std::int64_t*);
template void deposit_values(Cuda, ReductionPlan const&, Values<DoubleFloat>, Values<DoubleFloat>,
                             std::int64_t, std::int64_t, std::int64_t*);
template void finish_sum(Cuda, std::int64_t*, bool, DoubleFloat*);
template void finish_sum(Cuda, std::int64_t*, bool, double*);
template void finish_sum(Cuda, std::int64_t*, bool, float*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<double>, bool, std::int64_t*, double*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<float>, bool, std::int32_t*, float*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<DoubleFloat>, bool, std::int64_t*,
                             DoubleFloat*);
template void take_shared_sum(Cuda, std::uint64_t const*, DoubleFloat*);
template void share_extreme(Cuda, DoubleFloat const*, bool, std::int64_t*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, DoubleFloat*);
template void take_shared_sum(Cuda, std::uint64_t const*, double*);
template void take_shared_sum(Cuda, std::uint64_t const*, float*);
template void share_extreme(Cuda, double const*, bool, std::int64_t*);
template void share_extreme(Cuda, float const*, bool, std::int64_t*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, double*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, float*);

}  // namespace detail
}  // namespace ulpine
