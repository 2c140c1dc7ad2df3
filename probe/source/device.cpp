// SPDX-License-Identifier: Apache-2.0
#include "probe/source/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/error.hpp"
#include "probe/source/device_hash.hpp"

// The functions of the CUDA driver that are used, with the types of its binary interface (CUDA 11 and later):
// its header is not needed, so that every build of the probe knows device memory, also one without the
// kernels.

#if defined(ULPINE_PROBE_KERNELS)
// The file that nvcc made of device_hash.cu, as bytes in this object.
__asm__(
    ".section .rodata\n"
    ".balign 64\n"
    ".hidden probe_kernels\n"
    ".global probe_kernels\n"
    "probe_kernels:\n"
    ".incbin \"" ULPINE_PROBE_KERNELS
    "\"\n"
    ".byte 0\n"
    ".previous\n");
extern "C" __attribute__((visibility("hidden"))) unsigned char const probe_kernels[];
#endif

namespace ulpine::probe {
namespace {

using Result = int;
using Address = unsigned long long;
using Context = void*;
using Function = void*;
using Module = void*;
using Stream = void*;
using Event = void*;

constexpr char const* library_name = "libcuda.so.1";
constexpr Result success = 0, not_ready = 600;
constexpr int attribute_context = 1, attribute_memory_type = 2, attribute_is_managed = 8;
constexpr unsigned memory_type_device = 2, event_without_time = 2;
constexpr std::size_t most_blocks = 256, sums_size = most_blocks * sizeof(std::uint64_t);

struct Driver {
  Result (*pointer_attribute)(void*, int, Address) = nullptr;
  Result (*push)(Context) = nullptr;
  Result (*pop)(Context*) = nullptr;
  Result (*load)(Module*, void const*) = nullptr;
  Result (*function)(Function*, Module, char const*) = nullptr;
  Result (*allocate)(Address*, std::size_t) = nullptr;
  Result (*release)(Address) = nullptr;
  Result (*allocate_host)(void**, std::size_t) = nullptr;
  Result (*set)(Address, unsigned char, std::size_t, Stream) = nullptr;
  Result (*to_host)(void*, Address, std::size_t, Stream) = nullptr;
  Result (*to_device)(Address, void const*, std::size_t, Stream) = nullptr;
  Result (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
                   void**, void**) = nullptr;
  Result (*make_event)(Event*, unsigned) = nullptr;
  Result (*record)(Event, Stream) = nullptr;
  Result (*query)(Event) = nullptr;
  Result (*wait)(Event) = nullptr;
  Result (*wait_stream)(Stream) = nullptr;
  Result (*capturing)(Stream, int*) = nullptr;
  Result (*name_of)(Result, char const**) = nullptr;

  /// The driver of this process, loaded where it is not yet; null where there is none.
  static Driver const* get();
  /// Whether somebody has loaded it.
  static bool in_process();
};

template <class F>
bool find(void* library, char const* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

Driver const* Driver::get() {
  static Driver const* const found = []() -> Driver const* {
    auto* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    static Driver driver;
    Result (*initialise)(unsigned) = nullptr;
    auto const whole =
        find(library, "cuInit", initialise) &&
        find(library, "cuPointerGetAttribute", driver.pointer_attribute) &&
        find(library, "cuCtxPushCurrent_v2", driver.push) &&
        find(library, "cuCtxPopCurrent_v2", driver.pop) && find(library, "cuModuleLoadData", driver.load) &&
        find(library, "cuModuleGetFunction", driver.function) &&
        find(library, "cuMemAlloc_v2", driver.allocate) && find(library, "cuMemFree_v2", driver.release) &&
        find(library, "cuMemAllocHost_v2", driver.allocate_host) &&
        find(library, "cuMemsetD8Async", driver.set) &&
        find(library, "cuMemcpyDtoHAsync_v2", driver.to_host) &&
        find(library, "cuMemcpyHtoDAsync_v2", driver.to_device) &&
        find(library, "cuLaunchKernel", driver.launch) && find(library, "cuEventCreate", driver.make_event) &&
        find(library, "cuEventRecord", driver.record) && find(library, "cuEventQuery", driver.query) &&
        find(library, "cuEventSynchronize", driver.wait) &&
        find(library, "cuStreamSynchronize", driver.wait_stream) &&
        find(library, "cuStreamIsCapturing", driver.capturing) &&
        find(library, "cuGetErrorName", driver.name_of);
    // A machine without a card has the library of others' packages, and an error here.
    return whole && initialise(0) == success ? &driver : nullptr;
  }();
  return found;
}

/// How many libraries the process has loaded since it began.
unsigned long long libraries_loaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* into) {
        *static_cast<unsigned long long*>(into) = first->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

bool Driver::in_process() {
  static std::atomic<bool> seen = false;
  // To look for a library that is not there takes 20 microseconds: it is done again where another has come.
  static std::atomic<unsigned long long> looked = 0;
  if (seen) return true;
  auto const loaded = libraries_loaded();
  if (looked == loaded) return false;
  auto* const library = dlopen(library_name, RTLD_NOW | RTLD_NOLOAD);
  looked = loaded;
  if (library == nullptr) return false;
  dlclose(library);
  return seen = true;
}

void check(Driver const& driver, Result result, char const* what) {
  if (result == success) return;
  char const* name = nullptr;
  driver.name_of(result, &name);
  throw EnvironmentError(std::string("GPU: ") + what + " failed (" +
                         (name != nullptr ? name : "unknown error") +
                         ") an earlier kernel of the model may have failed");
}

/// Makes a context current for a block of code.
class Current {
 public:
  Current(Driver const& driver, Context context) : driver_{driver} {
    check(driver, driver.push(context), "taking the array's context");
  }
  ~Current() {
    Context former = nullptr;
    driver_.pop(&former);
  }
  Current(Current const&) = delete;
  Current& operator=(Current const&) = delete;

 private:
  Driver const& driver_;
};

/// Memory and an event for the hashes of one call.
struct Slot {
  Address sums = 0;
  std::uint64_t* on_host = nullptr;  ///< pinned
  Event event = nullptr;
};

/// What is loaded and kept in one context.
struct Loaded {
  Context context = nullptr;
  Function hash = nullptr, copy = nullptr;
  std::vector<Slot> free;
};

std::mutex loaded_mutex;
/// Of all contexts that arrays came from. They live to the end of the process: the driver may have gone
/// before destructors.
std::vector<std::unique_ptr<Loaded>>& all_loaded() {
  static auto* const all = new std::vector<std::unique_ptr<Loaded>>;
  return *all;
}

Context context_of(Driver const& driver, void const* address) {
  Context context = nullptr;
  check(driver, driver.pointer_attribute(&context, attribute_context, reinterpret_cast<Address>(address)),
        "finding the array's context");
  return context;
}

/// The kernels in the context, which is current; under the lock.
Loaded& loaded_in(Driver const& driver, Context context) {
  for (auto& loaded : all_loaded()) {
    if (loaded->context == context) return *loaded;
  }
#if defined(ULPINE_PROBE_KERNELS)
  auto loaded = std::make_unique<Loaded>();
  loaded->context = context;
  Module module = nullptr;
  check(driver, driver.load(&module, probe_kernels), "loading the probe's kernels");
  check(driver, driver.function(&loaded->hash, module, "ulpine_hash_field"), "finding a kernel");
  check(driver, driver.function(&loaded->copy, module, "ulpine_copy_field"), "finding a kernel");
  return *all_loaded().emplace_back(std::move(loaded));
#else
  static_cast<void>(driver);
  throw EnvironmentError(
      "GPU: this build of the probe has no kernels (no CUDA compiler was found) build it where nvcc is, or "
      "tell "
      "fields of the host");
#endif
}

Slot take_slot(Driver const& driver, Loaded& loaded) {
  if (!loaded.free.empty()) {
    auto const slot = loaded.free.back();
    loaded.free.pop_back();
    return slot;
  }
  Slot slot;
  void* on_host = nullptr;
  check(driver, driver.allocate(&slot.sums, sums_size), "allocating 2 kB");
  check(driver, driver.allocate_host(&on_host, sums_size), "allocating 2 kB of pinned memory");
  check(driver, driver.make_event(&slot.event, event_without_time), "making an event");
  slot.on_host = static_cast<std::uint64_t*>(on_host);
  return slot;
}

ElementKind kind_of(ulpine_type type, bool zeros_equal) {
  switch (type) {
    case ULPINE_F32:
    case ULPINE_C32:
      return zeros_equal ? ElementKind::binary32_zeros_equal : ElementKind::binary32;
    case ULPINE_F64:
    case ULPINE_C64:
      return zeros_equal ? ElementKind::binary64_zeros_equal : ElementKind::binary64;
    case ULPINE_I8:
      return ElementKind::integer8;
    case ULPINE_I16:
      return ElementKind::integer16;
    case ULPINE_I32:
      return ElementKind::integer32;
    case ULPINE_I64:
      return ElementKind::integer64;
    case ULPINE_L8:
      return ElementKind::logical8;
    case ULPINE_L32:
      return ElementKind::logical32;
    case ULPINE_L64:
      return ElementKind::logical64;
  }
  return ElementKind::binary64;
}

int size_of(ElementKind kind) {
  switch (kind) {
    case ElementKind::integer8:
    case ElementKind::logical8:
      return 1;
    case ElementKind::integer16:
      return 2;
    case ElementKind::binary32:
    case ElementKind::binary32_zeros_equal:
    case ElementKind::integer32:
    case ElementKind::logical32:
      return 4;
    case ElementKind::binary64:
    case ElementKind::binary64_zeros_equal:
    case ElementKind::integer64:
    case ElementKind::logical64:
      return 8;
  }
  return 8;
}

/// Device memory that lasts as long as this, and work of a stream that uses it.
class Scratch {
 public:
  Scratch(Driver const& driver, std::size_t bytes, Stream stream) : driver_{driver}, stream_{stream} {
    check(driver, driver.allocate(&address_, std::max<std::size_t>(bytes, 1)), "allocating memory");
  }
  ~Scratch() {
    driver_.wait_stream(stream_);
    driver_.release(address_);
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  Address address() const { return address_; }

 private:
  Driver const& driver_;
  Stream stream_;
  Address address_ = 0;
};

/// The part for the kernels, but for `numbers`, `sums`, `shift` and `blocks`. Axes that follow one another in
/// memory and in the domain become one.
DeviceHashTask task_of(Part const& part, bool zeros_equal = false) {
  DeviceHashTask task{};
  task.data = reinterpret_cast<unsigned char const*>(part.data);
  task.kind = kind_of(part.type, zeros_equal);
  task.count = part.count();
  task.numbered = -1;
  auto const listed = [](Part::Axis const& axis) { return axis.numbers != nullptr; };
  for (int a = 0; a < part.rank; ++a) {
    auto const& axis = part.axes[a];
    auto const last = task.rank - 1;
    auto const one_with_last = last >= 0 && last != task.numbered && !listed(axis) &&
                               axis.extent == axis.whole && axis.first == 0 &&
                               task.stride[last] == axis.stride * axis.extent;
    auto const at = one_with_last ? last : task.rank++;
    task.extent[at] = (one_with_last ? task.extent[at] : 1) * axis.extent;
    task.whole[at] = (one_with_last ? task.whole[at] : 1) * axis.whole;
    task.first[at] = one_with_last ? task.first[at] * axis.whole : axis.first;
    task.stride[at] = axis.stride;
    if (listed(axis)) task.numbered = at;
  }
  task.packed = task.rank == 0 || (task.rank == 1 && task.numbered < 0 && task.first[0] == 0 &&
                                   task.extent[0] == task.whole[0] && task.stride[0] == size_of(task.kind));
  constexpr std::int64_t least_row = 32;
  task.by_rows =
      task.packed == 0 && task.numbered != task.rank - 1 && task.extent[task.rank - 1] >= least_row ? 1 : 0;
  return task;
}

/// The places along the numbered axis in device memory; null where there are none.
std::unique_ptr<Scratch> numbers_on_device(Driver const& driver, Part const& part, DeviceHashTask& task) {
  for (auto const& axis : part.axes) {
    if (axis.numbers == nullptr) continue;
    auto const bytes = static_cast<std::size_t>(axis.extent) * sizeof(std::int64_t);
    auto scratch = std::make_unique<Scratch>(driver, bytes, part.stream);
    check(driver, driver.to_device(scratch->address(), axis.numbers, bytes, part.stream),
          "copying the places of elements");
    task.numbers = reinterpret_cast<std::int64_t const*>(scratch->address());
    return scratch;
  }
  return nullptr;
}

unsigned thread_blocks(std::int64_t count, std::int64_t chunk) {
  return static_cast<unsigned>(
      std::min<std::int64_t>((count + chunk - 1) / chunk, std::numeric_limits<int>::max()));
}

void refuse_capture(Driver const& driver, Stream stream) {
  auto status = 0;
  if (driver.capturing(stream, &status) == success && status != 0) {
    throw UseError(
        "a field's stream is being captured into a graph (its values come when the graph runs) tell fields "
        "outside of captures");
  }
}

void copy(Part const& part, std::byte* values, bool to_field) {
  auto const* const driver = Driver::get();
  if (driver == nullptr)
    throw EnvironmentError("GPU: no CUDA driver can be loaded (libcuda.so.1) check the installation");
  if (part.count() == 0) return;
  Current const current(*driver, context_of(*driver, part.data));
  refuse_capture(*driver, part.stream);
  Function kernel = nullptr;
  {
    std::lock_guard const lock(loaded_mutex);
    kernel = loaded_in(*driver, context_of(*driver, part.data)).copy;
  }
  auto task = task_of(part);
  auto const numbers = numbers_on_device(*driver, part, task);
  auto size = size_of(task.kind);
  auto const bytes = static_cast<std::size_t>(task.count) * static_cast<std::size_t>(size);
  Scratch const dense(*driver, bytes, part.stream);
  auto address = dense.address();
  auto direction = to_field ? 1 : 0;
  std::array<void*, 4> arguments = {&task, &address, &size, &direction};
  if (to_field) check(*driver, driver->to_device(address, values, bytes, part.stream), "copying values");
  check(*driver,
        driver->launch(kernel, std::min(thread_blocks(task.count, device_hash_threads), 65536u), 1, 1,
                       device_hash_threads, 1, 1, 0, part.stream, arguments.data(), nullptr),
        "copying values");
  if (!to_field) check(*driver, driver->to_host(values, address, bytes, part.stream), "copying values");
  check(*driver, driver->wait_stream(part.stream), "copying values");
}

}  // namespace

Memory memory_of(void const* address) {
  auto const* const driver = address != nullptr && Driver::in_process() ? Driver::get() : nullptr;
  if (driver == nullptr) return Memory::host;
  unsigned type = 0, managed = 0;
  auto const at = reinterpret_cast<Address>(address);
  if (driver->pointer_attribute(&type, attribute_memory_type, at) != success || type != memory_type_device)
    return Memory::host;
  auto const known = driver->pointer_attribute(&managed, attribute_is_managed, at) == success;
  return known && managed != 0 ? Memory::managed : Memory::device;
}

struct DeviceHash::State {
  Loaded* loaded = nullptr;
  Slot slot;
  std::size_t blocks = 0;
  std::unique_ptr<Scratch> numbers;  ///< of the launch under way
};

DeviceHash::DeviceHash(std::unique_ptr<State> state) : state_{std::move(state)} {}
DeviceHash::DeviceHash(DeviceHash&&) noexcept = default;
DeviceHash& DeviceHash::operator=(DeviceHash&&) noexcept = default;
DeviceHash::~DeviceHash() = default;

bool DeviceHash::ready() const {
  return state_ == nullptr || Driver::get()->query(state_->slot.event) != not_ready;
}

void DeviceHash::wait(std::span<std::uint64_t> blocks) {
  if (state_ == nullptr) return;
  auto const state = std::move(state_);
  auto const& driver = *Driver::get();
  Current const current(driver, state->loaded->context);
  check(driver, driver.wait(state->slot.event), "hashing a field");
  for (std::size_t b = 0; b < state->blocks; ++b) blocks[b] += state->slot.on_host[b];
  state->numbers.reset();
  std::lock_guard const lock(loaded_mutex);
  state->loaded->free.push_back(state->slot);
}

DeviceHash hash_on_device(Part const& part, int shift, int blocks, bool zeros_equal) {
  auto const* const driver = Driver::get();
  if (driver == nullptr)
    throw EnvironmentError("GPU: no CUDA driver can be loaded (libcuda.so.1) check the installation");
  if (part.count() == 0) return DeviceHash(nullptr);
  auto* const context = context_of(*driver, part.data);
  Current const current(*driver, context);
  refuse_capture(*driver, part.stream);
  auto state = std::make_unique<DeviceHash::State>();
  {
    std::lock_guard const lock(loaded_mutex);
    state->loaded = &loaded_in(*driver, context);
    state->slot = take_slot(*driver, *state->loaded);
  }
  auto task = task_of(part, zeros_equal);
  state->numbers = numbers_on_device(*driver, part, task);
  state->blocks = static_cast<std::size_t>(blocks);
  task.shift = shift;
  task.blocks = blocks;
  task.sums = reinterpret_cast<unsigned long long*>(state->slot.sums);
  auto const chunk =
      task.packed != 0 ? std::min(std::int64_t{1} << shift, device_hash_chunk) : device_hash_chunk;
  // Rows are shared among no more thread blocks than keep a device busy: each adds up its sums in the end.
  auto const groups =
      task.by_rows != 0
          ? std::min(thread_blocks(task.count / task.extent[task.rank - 1], device_hash_threads / 32), 4096u)
          : thread_blocks(task.count, chunk);
  std::array<void*, 1> arguments = {&task};
  auto const size = state->blocks * sizeof(std::uint64_t);
  check(*driver, driver->set(state->slot.sums, 0, size, part.stream), "hashing a field");
  check(*driver,
        driver->launch(state->loaded->hash, groups, 1, 1, device_hash_threads, 1, 1, 0, part.stream,
                       arguments.data(), nullptr),
        "hashing a field");
  check(*driver, driver->to_host(state->slot.on_host, state->slot.sums, size, part.stream),
        "hashing a field");
  check(*driver, driver->record(state->slot.event, part.stream), "hashing a field");
  return DeviceHash(std::move(state));
}

bool on_device(Part const& part) { return part.on_device || memory_of(part.data) != Memory::host; }

HostCopy::HostCopy(Part const& part) : original_{part}, copy_{part} {
  auto const size = size_of(kind_of(part.type, false));
  values_.resize(static_cast<std::size_t>(part.count()) * static_cast<std::size_t>(size));
  read_from_device(part, values_.data());
  copy_.data = values_.data();
  copy_.on_device = false;
  std::int64_t stride = size;
  for (int a = part.rank; a-- > 0;) {
    auto& axis = copy_.axes[static_cast<std::size_t>(a)];
    axis.stride = stride;
    stride *= axis.extent;
  }
}

void read_from_device(Part const& part, std::byte* values) { copy(part, values, false); }

void write_to_device(Part const& part, std::byte const* values) {
  copy(part, const_cast<std::byte*>(values), true);
}

}  // namespace ulpine::probe
