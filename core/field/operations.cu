// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "core/exec/cuda.cuh"
#include "core/field/operations_impl.hpp"

namespace ulpine::detail {
namespace {

template <class Visit>
void visit_device(ValueType type, Visit const& visit_one) {
  switch (type) {
    case ValueType::uint8:
      return visit_one(std::uint8_t{});
    case ValueType::float32:
      return visit_one(float{});
    case ValueType::float32_pair:
      return visit_one(DoubleFloat{});
    default:
      return visit_one(double{});
  }
}

}  // namespace

void pack_on_device(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                    void* device_target, RawField const* domain) {
  visit_device(field.type, [&]<class From>(From) {
    visit_device(type, [&]<class To>(To) {
      pack<From>(field.cuda, field, first, count, static_cast<To*>(device_target), domain);
    });
  });
}

void unpack_on_device(RawField const& field, std::int64_t first, std::int64_t count, ValueType type,
                      void const* device_source) {
  visit_device(type, [&]<class From>(From) {
    visit_device(field.type, [&]<class To>(To) {
      unpack<From, To>(field.cuda, field, first, count, static_cast<From const*>(device_source));
    });
  });
}

void find_invalid_on_device(RawField const& field, ValueRange const& range, RawField const* domain,
                            long long* device_found) {
  visit_device(field.type, [&]<class T>(T) {
    if constexpr (sizeof(T) > 1) find_invalid<T>(field.cuda, field, range, domain, device_found);
  });
}

void add_noise_on_device(RawField const& field, Noise const& noise, RawField const* domain) {
  visit_device(field.type, [&]<class T>(T) {
    using Wide = std::conditional_t<std::is_same_v<T, DoubleFloat>, T, double>;
    if constexpr (sizeof(T) > 1) add_noise<T, Wide>(field.cuda, field, noise, domain);
  });
}

}  // namespace ulpine::detail
