// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/exec/memory.hpp"
#include "core/field/kernels.hpp"
#include "core/field/operations.hpp"

/// operations.hpp for one executor; the launches (for_each) come with the file that includes this.
namespace ulpine::detail {

inline DomainMask mask_of(RawField const* domain) {
  return domain == nullptr ? DomainMask{}
                           : DomainMask{static_cast<std::uint8_t const*>(domain->data), domain->layout};
}

template <class From, class To, class Executor>
void pack(Executor executor, RawField const& field, std::int64_t first, std::int64_t count, To* target,
          RawField const* domain) {
  for_each(executor, count,
           Pack<From, To>{static_cast<From const*>(field.data), field.layout, mask_of(domain), first,
                          static_cast<To>(sizeof(To) == 1 ? 0 : missing_value), target});
}

template <class From, class To, class Executor>
void unpack(Executor executor, RawField const& field, std::int64_t first, std::int64_t count,
            From const* source) {
  for_each(executor, count, Unpack<From, To>{source, field.layout, first, static_cast<To*>(field.data)});
}

template <class T, class Executor>
void find_invalid(Executor executor, RawField const& field, ValueRange const& range, RawField const* domain,
                  long long* found) {
  auto const count = field.count();
  for_each(executor, count,
           FindInvalid<T>{static_cast<T const*>(field.data), field.layout, mask_of(domain),
                          static_cast<T>(range.least), static_cast<T>(range.most), count, found});
}

template <class T, class Wide, class Executor>
void add_noise(Executor executor, RawField const& field, Noise const& noise, RawField const* domain) {
  for_each(executor, field.count(),
           AddNoise<T, Wide>{static_cast<T*>(field.data), field.layout, mask_of(domain), noise.seed,
                             noise.member, noise.key, noise.amplitude, static_cast<Wide>(noise.least),
                             static_cast<Wide>(noise.most)});
}

/// The device's side, compiled by nvcc; types are uint8, float32, float64 and float32_pair.
void pack_on_device(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                    void* device_target, RawField const* domain);
void unpack_on_device(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                      void const* device_source);
/// `device_found` is 0 before: see FindInvalid.
void find_invalid_on_device(RawField const& field, ValueRange const& range, RawField const* domain,
                            long long* device_found);
void add_noise_on_device(RawField const& field, Noise const& noise, RawField const* domain);

}  // namespace ulpine::detail
