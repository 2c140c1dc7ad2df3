// SPDX-License-Identifier: Apache-2.0
// In place of the launches, which nvcc compiles elsewhere: a clear of the target's first bytes, on the stream
// and the device that they are given.
#include "core/exec/reduce.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations_impl.hpp"

namespace ulpine {

void add_field_hash(RawField const& field, std::uint64_t* device_blocks) {
  detail::fill_zero(field.cuda, device_blocks, sizeof(std::uint64_t));
}

namespace detail {

void pack_on_device(RawField const& field, std::int64_t, std::int64_t, ValueType, void* device_target,
                    RawField const*) {
  fill_zero(field.cuda, device_target, 1);
}
void unpack_on_device(RawField const& field, std::int64_t, std::int64_t, ValueType, void const*) {
  fill_zero(field.cuda, field.data, 1);
}
void find_not_finite_on_device(RawField const& field, int* device_found) {
  fill_zero(field.cuda, device_found, sizeof(int));
}
void add_noise_on_device(RawField const& field, Noise const&, RawField const*) {
  fill_zero(field.cuda, field.data, 1);
}

template <class T>
void reduce_sum(Cuda cuda, int, View<T const>, T const*, std::int64_t* scratch) {
  fill_zero(cuda, scratch, sizeof(std::int64_t));
}
template <class T>
void reduce_extreme(Cuda cuda, int, View<T const>, bool, typename OrderKey<T>::Key* key) {
  fill_zero(cuda, key, sizeof(*key));
}
template void reduce_sum(Cuda, int, View<double const>, double const*, std::int64_t*);
template void reduce_sum(Cuda, int, View<float const>, float const*, std::int64_t*);
template void reduce_extreme(Cuda, int, View<double const>, bool, std::int64_t*);
template void reduce_extreme(Cuda, int, View<float const>, bool, std::int32_t*);

}  // namespace detail
}  // namespace ulpine
