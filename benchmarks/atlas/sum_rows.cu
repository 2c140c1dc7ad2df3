// SPDX-License-Identifier: Apache-2.0
// Rows of CUB and Thrust: sums of many, running sums, sums by key and by segment.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

struct Plus {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// Calls an algorithm of CUB twice, as it wants: for the bytes of its work area, then with it.
template <class Call>
void with_area(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "the size of a work area");
  OnCard<char> const area(bytes + 1);
  check(call(static_cast<void*>(area.data()), bytes), "an algorithm of CUB");
  check(cudaDeviceSynchronize(), "an algorithm of CUB");
}

template <class T>
std::vector<T> sum(T const* x, int count) {
  OnCard<T> result(1);
  with_area([&](void* area, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(area, bytes, x, result.data(), count);
  });
  return result.get();
}

template <class T>
std::string scalar() {
  return sizeof(T) == 8 ? "double" : "float";
}

/// Sums of several arrays each: one number may be the same by chance.
template <class T>
void reduce_rows(Rows& rows) {
  auto constexpr n = 10000003, sets = 6;
  std::vector<std::vector<T>> values;
  std::vector<OnCard<T>> arrays;
  for (std::uint64_t set = 0; set < sets; ++set) {
    values.push_back(uniform<T>(n, 610 + set));
    arrays.emplace_back(values.back());
  }
  auto const of = [&](auto call) {
    std::vector<T> results;
    for (std::size_t set = 0; set < sets; ++set) results.push_back(call(set));
    return results;
  };
  auto const block = "DeviceReduce::Sum " + scalar<T>() + " " + std::to_string(n);
  auto const again = [&] { return of([&](std::size_t set) { return sum(arrays[set].data(), n)[0]; }); };
  auto const first = again();
  rows.add({"CUB", block, "arrival", "100 runs"}, compare_runs<T>(first, 100, again));
  {
    OwnStream const busy;
    auto found = compare(first, first);
    for (auto run = 0; run < 20; ++run) {
      load_card(busy.get(), 5);
      found = worse(found, compare(first, again()));
    }
    rows.add({"CUB", block, "stream", "20 runs while another kernel has half of the card"}, found);
  }
  OnCard<T> moved(static_cast<std::size_t>(n) + 16);
  for (auto const bytes : {4, 8, 12, 16, 32, 64}) {
    if (bytes % sizeof(T) != 0) continue;
    rows.add({"CUB", block, "alignment", "the pointer moved by " + std::to_string(bytes) + " bytes"},
             compare(first, of([&](std::size_t set) {
                       moved.set(values[set], bytes / sizeof(T));
                       return sum(moved.data() + bytes / sizeof(T), n)[0];
                     })));
  }
  auto const by_thrust = [&] {
    return of([&](std::size_t set) {
      auto const start = thrust::device_pointer_cast(arrays[set].data());
      return thrust::reduce(thrust::device, start, start + n, T(0));
    });
  };
  rows.add({"Thrust", "reduce " + scalar<T>() + " " + std::to_string(n), "routine",
            "thrust::reduce against cub::DeviceReduce::Sum"},
           compare(first, by_thrust()));
  rows.add({"Thrust", "reduce " + scalar<T>() + " " + std::to_string(n), "arrival", "20 runs"},
           compare_runs<T>(by_thrust(), 20, by_thrust));
  auto const serial = [&](std::size_t set, int count) {
    T total = 0;
    for (auto i = 0; i < count; ++i) total += values[set][static_cast<std::size_t>(i)];
    return total;
  };
  for (auto const count : {32, 256, 1000, 4096, 100000, n}) {
    rows.add({"CUB", "DeviceReduce::Sum " + scalar<T>() + " " + std::to_string(count), "definition",
              "the serial sum against the library"},
             compare(of([&](std::size_t set) { return serial(set, count); }),
                     of([&](std::size_t set) { return sum(arrays[set].data(), count)[0]; })));
  }
}

template <class T>
void scan_rows(Rows& rows) {
  auto constexpr n = 10000000;
  OnCard<T> const x(uniform<T>(n, 62));
  auto const run = [&](bool inclusive) {
    OnCard<T> results(n);
    with_area([&](void* area, std::size_t& bytes) {
      return inclusive ? cub::DeviceScan::InclusiveSum(area, bytes, x.data(), results.data(), n)
                       : cub::DeviceScan::ExclusiveSum(area, bytes, x.data(), results.data(), n);
    });
    return results.get();
  };
  for (auto const inclusive : {true, false}) {
    auto const block = std::string("DeviceScan::") + (inclusive ? "InclusiveSum " : "ExclusiveSum ") +
                       scalar<T>() + " " + std::to_string(n);
    auto const first = run(inclusive);
    rows.add({"CUB", block, "arrival", "20 runs"},
             compare_runs<T>(first, 20, [&] { return run(inclusive); }));
  }
  auto const thrust_scan = [&] {
    OnCard<T> results(n);
    auto const start = thrust::device_pointer_cast(x.data());
    thrust::inclusive_scan(thrust::device, start, start + n, thrust::device_pointer_cast(results.data()));
    return results.get();
  };
  rows.add({"Thrust", "inclusive_scan " + scalar<T>() + " " + std::to_string(n), "arrival", "20 runs"},
           compare_runs<T>(thrust_scan(), 20, thrust_scan));
  auto const small = [&] {
    OnCard<T> results(1000);
    with_area([&](void* area, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(area, bytes, x.data(), results.data(), 1000);
    });
    return results.get();
  };
  rows.add({"CUB", "DeviceScan::InclusiveSum " + scalar<T>() + " 1000", "arrival", "50 runs"},
           compare_runs<T>(small(), 50, small));
}

void integer_scan_rows(Rows& rows) {
  auto constexpr n = 10000000;
  std::vector<std::uint32_t> values;
  Generator generator(63);
  for (auto i = 0; i < n; ++i) values.push_back(static_cast<std::uint32_t>(generator.next()));
  OnCard<std::uint32_t> const x(values);
  auto const run = [&] {
    OnCard<std::uint32_t> results(n);
    with_area([&](void* area, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(area, bytes, x.data(), results.data(), n);
    });
    return results.get();
  };
  rows.add({"CUB", "DeviceScan::InclusiveSum unsigned " + std::to_string(n), "arrival", "20 runs"},
           compare_runs<std::uint32_t>(run(), 20, run));
}

template <class T>
void key_rows(Rows& rows) {
  auto constexpr n = 10000000;
  std::vector<int> keys;
  Generator generator(64);
  for (auto key = 0; static_cast<int>(keys.size()) < n; ++key) {
    auto const length = 1 + generator.next() % 2000;
    for (std::uint64_t i = 0; i < length && static_cast<int>(keys.size()) < n; ++i) keys.push_back(key);
  }
  auto const runs = static_cast<std::size_t>(keys.back()) + 1;
  OnCard<int> const key(keys);
  OnCard<T> const x(uniform<T>(n, 65));
  auto const run = [&] {
    OnCard<int> unique(runs), found(1);
    OnCard<T> sums(runs);
    with_area([&](void* area, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(area, bytes, key.data(), unique.data(), x.data(), sums.data(),
                                            found.data(), Plus(), n);
    });
    return sums.get();
  };
  auto const first = run();
  rows.add(
      {"CUB", "DeviceReduce::ReduceByKey " + scalar<T>() + " " + std::to_string(n), "arrival", "100 runs"},
      compare_runs<T>(first, 100, run));
  auto const by_thrust = [&] {
    OnCard<int> unique(runs);
    OnCard<T> sums(runs);
    thrust::reduce_by_key(thrust::device, thrust::device_pointer_cast(key.data()),
                          thrust::device_pointer_cast(key.data()) + n, thrust::device_pointer_cast(x.data()),
                          thrust::device_pointer_cast(unique.data()),
                          thrust::device_pointer_cast(sums.data()));
    return sums.get();
  };
  rows.add({"Thrust", "reduce_by_key " + scalar<T>() + " " + std::to_string(n), "arrival", "20 runs"},
           compare_runs<T>(by_thrust(), 20, by_thrust));
  rows.add({"Thrust", "reduce_by_key " + scalar<T>() + " " + std::to_string(n), "routine",
            "thrust::reduce_by_key against cub::DeviceReduce::ReduceByKey"},
           compare(first, by_thrust()));
}

/// The same 1000 numbers as a segment at 64 offsets, alone and beside segments of other lengths.
template <class T>
void segment_rows(Rows& rows) {
  auto constexpr length = 1000, places = 64;
  auto const one = uniform<T>(length, 66);
  OnCard<T> const alone(one);
  auto const by_reduce = sum(alone.data(), length);
  for (auto const mixed : {false, true}) {
    std::vector<T> values;
    std::vector<int> begin, end;
    std::vector<std::size_t> kept;
    auto const other = uniform<T>(50000, 67);
    for (auto place = 0; place < places; ++place) {
      values.insert(values.end(), static_cast<std::size_t>(place % 7),
                    T(0.5));  // so that offsets differ modulo a vector's length
      if (mixed) {
        begin.push_back(static_cast<int>(values.size()));
        values.insert(values.end(), other.begin(), other.begin() + 1 + 700 * place);
        end.push_back(static_cast<int>(values.size()));
      }
      kept.push_back(begin.size());
      begin.push_back(static_cast<int>(values.size()));
      values.insert(values.end(), one.begin(), one.end());
      end.push_back(static_cast<int>(values.size()));
    }
    OnCard<T> const x(values);
    OnCard<int> const first(begin), last(end);
    OnCard<T> sums(begin.size());
    with_area([&](void* area, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(area, bytes, x.data(), sums.data(),
                                             static_cast<int>(begin.size()), first.data(), last.data());
    });
    auto const all = sums.get();
    std::vector<T> found;
    for (auto const place : kept) found.push_back(all[place]);
    auto const block = "DeviceSegmentedReduce::Sum " + scalar<T>() +
                       (mixed ? ", segments of many lengths" : ", 64 segments");
    rows.add({"CUB", block, "place", "a segment of 1000 at 64 offsets"},
             compare(std::vector<T>(places, found[0]), found));
    rows.add({"CUB", block, "batch", "a segment of 1000 against DeviceReduce::Sum of it alone"},
             compare(std::vector<T>(places, by_reduce[0]), found));
  }
}

}  // namespace

void sum_rows(Rows& rows) {
  auto const version = std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                       std::to_string(CUB_SUBMINOR_VERSION);
  rows.version("CUB", version);
  rows.version("Thrust", version);
  rows.measure("sums of floats", [&] { reduce_rows<float>(rows); });
  rows.measure("sums of doubles", [&] { reduce_rows<double>(rows); });
  rows.measure("running sums of floats", [&] { scan_rows<float>(rows); });
  rows.measure("running sums of doubles", [&] { scan_rows<double>(rows); });
  rows.measure("running sums of integers", [&] { integer_scan_rows(rows); });
  rows.measure("sums by key of floats", [&] { key_rows<float>(rows); });
  rows.measure("sums by key of doubles", [&] { key_rows<double>(rows); });
  rows.measure("sums by segment of floats", [&] { segment_rows<float>(rows); });
  rows.measure("sums by segment of doubles", [&] { segment_rows<double>(rows); });
}

}  // namespace ulpine::atlas
