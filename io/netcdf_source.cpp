// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_source.hpp"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>

#include "io/file_lock.hpp"
#include "io/file_set.hpp"
#include "io/foreign_format.hpp"
#include "io/netcdf_library.hpp"
#include "io/netcdf_unpacking.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"

namespace ulpine::io {
namespace {

/// No filter packs better: deflate reaches 1032 bytes of zeros a byte.
constexpr std::uint64_t most_values_a_byte = 2048;
constexpr std::uint64_t always_plausible = std::uint64_t{1} << 24;         // values
constexpr std::uint64_t always_plausible_sparse = std::uint64_t{1} << 28;  // values

/// The seal of a file, remembered while the file is the same: reports open outputs again for every block of
/// times. Not of files that have just changed: the system's clock of changes is too coarse to tell another
/// change from that.
Seal remembered_seal(std::filesystem::path const& path) {
  using Key = std::array<std::int64_t, 7>;  // what the system says of a file's identity and last change
  static std::mutex mutex;
  static std::set<Key> whole;
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return Seal::absent;
  Key const key = {static_cast<std::int64_t>(found.st_dev),
                   static_cast<std::int64_t>(found.st_ino),
                   found.st_size,
                   found.st_mtim.tv_sec,
                   found.st_mtim.tv_nsec,
                   found.st_ctim.tv_sec,
                   found.st_ctim.tv_nsec};
  {
    std::lock_guard const lock{mutex};
    if (whole.contains(key)) return Seal::whole;
  }
  auto const seal = seal_of(path);
  constexpr std::time_t settled_s = 2;
  if (seal == Seal::whole && found.st_ctim.tv_sec + settled_s < std::time(nullptr)) {
    std::lock_guard const lock{mutex};
    whole.insert(key);
  }
  return seal;
}

/// Where HDF5's part of a file ends, from its superblock; 0 where it is no HDF5 file. Format: HDF5 File
/// Format Specification, "Disk Format: Level 0A".
std::uint64_t hdf5_end(std::filesystem::path const& path) {
  std::ifstream stream{path, std::ios::binary};
  std::array<unsigned char, 64> head{};
  stream.read(reinterpret_cast<char*>(head.data()), head.size());
  if (!stream || std::memcmp(head.data(), "\x89HDF\r\n\x1a\n", 8) != 0) return 0;
  auto const version = head[8];
  auto const address_bytes = version < 2 ? head[13] : head[9];
  auto const addresses = version == 0 ? 24u : version == 1 ? 28u : 12u;
  if (version > 3 || address_bytes != 8) return 0;
  std::uint64_t end = 0;
  std::memcpy(&end, head.data() + addresses + 16, sizeof end);  // after the base and one other address
  return end;
}

/// Sum of the sizes of all files in a folder.
std::uint64_t bytes_in(std::filesystem::path const& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, failed);
       !failed && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code unknown;
    auto const size = entry->is_regular_file(unknown) ? entry->file_size(unknown) : 0;
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace

NetcdfSource::NetcdfSource(std::filesystem::path const& path) : path_{path.string()} {
  if (names_set(path)) {
    joined_ = std::make_unique<JoinedSource>(path);
    catalogue_ = joined_->catalogue();
    bytes_ = joined_->bytes();
    return;
  }
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw InputError(path_ + ": no such file (nothing of that name can be read) check the path");
  }
  if (std::filesystem::is_directory(status)) {
    bytes_ = bytes_in(path);
    open_foreign();
    return;
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(path_ + ": not a NetCDF file (it is no ordinary file) name one");
  }
  require_regular_file(path);
  require_netcdf_name(path);
  auto const size = std::filesystem::file_size(path, failed);
  if (failed) throw InputError(path_ + ": cannot be read (" + failed.message() + ") check the path");
  bytes_ = size;
  // netCDF takes locks of HDF5's files alone.
  if (hdf5_end(path) > 0) {
    if (auto const problem = lock_problem(path, LockFor::reading); !problem.empty()) {
      throw InputError(path_ + ": cannot be read (" + problem);
    }
  }
  switch (remembered_seal(path)) {
    case Seal::broken:
      throw InputError(path_ +
                       ": is not as Ulpine wrote it (its seal does not fit its content) copy it again or "
                       "repeat the run");
    case Seal::whole:
      open_sealed();
      return;
    case Seal::absent:
      open_foreign();
  }
}

NetcdfSource::~NetcdfSource() {
  if (sealed_ == nullptr) return;
  auto const lock = lock_netcdf();
  sealed_.reset();
}

/// Its bytes are as netCDF wrote them.
void NetcdfSource::open_sealed() {
  auto const lock = lock_netcdf();
  try {
    sealed_ = std::make_unique<OpenNetcdf>(path_);
    catalogue_ = sealed_->catalogue();
  } catch (NetcdfFailure const& failure) {
    auto const opened = sealed_ != nullptr;
    sealed_.reset();
    throw InputError(path_ + (opened ? ": cannot be read (" : ": cannot be opened as NetCDF (") +
                     failure.what() + ") it may be " +
                     (opened ? "damaged; copy it again" : "of another format"));
  }
}

void NetcdfSource::open_foreign() {
  auto const is_folder = std::filesystem::is_directory(path_);  // a store of Zarr
  if (!is_folder) classic_ = ClassicNetcdf::open(path_);
  if (classic_ != nullptr) {
    catalogue_ = classic_->catalogue();
    return;
  }
  auto const needed = is_folder ? 0 : netcdf_classic_size(path_);
  if (bytes_ < needed) {
    throw InputError(path_ + ": not a whole NetCDF file (" + std::to_string(bytes_) + " of " +
                     std::to_string(needed) + " bytes are there) copy it again");
  }
  foreign_ = std::make_unique<ForeignNetcdf>(path_);
  catalogue_ = foreign_->catalogue();
  // A run's output is sealed at its end; before, nothing but a part of a record follows HDF5's part.
  // Copies by other programs keep the attributes, but nothing follows there either.
  auto const source = catalogue_.attributes.find("source");
  auto const* text =
      source == catalogue_.attributes.end() ? nullptr : std::get_if<std::string>(&source->second);
  auto const is_output = text != nullptr && text->starts_with("Ulpine ");
  if (auto const end = hdf5_end(path_); is_output && end > 0 && has_lost_its_seal(path_, end)) {
    throw InputError(path_ +
                     ": is not as Ulpine wrote it (its end is no seal) copy it again or repeat the run");
  }
}

void NetcdfSource::require_plausible(NetcdfVariable const& variable, std::uint64_t values) const {
  auto const plausible = variable.sparse ? always_plausible_sparse : always_plausible;
  if (values <= plausible || values / most_values_a_byte <= bytes_) return;
  throw UnreadableVariable(path_ + ": " + variable.name + ": damaged (" + std::to_string(values) +
                           " values cannot be in a file of " + std::to_string(bytes_) +
                           " bytes) copy it again");
}

namespace {

std::size_t values_in(std::vector<std::size_t> const& count) {
  return std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>{});
}

/// Lets `values` grow by what arrives. `count` is no more than what a header says: memory for it is taken
/// once something has come.
template <class Stored>
ForeignNetcdf::Sink growing(std::vector<Stored>& values, std::vector<std::size_t> const& count) {
  static_assert(sizeof(Stored) == 8);
  return [&](std::size_t arriving) {
    if (values.empty()) values.reserve(values_in(count));
    values.resize(values.size() + arriving);
    return values.data() + values.size() - arriving;
  };
}

/// UnreadableVariable where attributes do not tell how.
Unpacking unpacking_of(std::string const& path, NetcdfVariable const& variable) {
  if (auto const fault = Unpacking::fault_of(variable); !fault.empty()) {
    throw UnreadableVariable(path + ": " + variable.name + ":" + fault);
  }
  return Unpacking{variable};
}

/// Unpacks stored values in place. UnreadableVariable where the packing has lost them.
void unpack(std::string const& path, NetcdfVariable const& variable, Unpacking const& unpacking,
            std::span<double> values) {
  if (unpacking.loses(values)) {
    throw UnreadableVariable(path + ": " + variable.name +
                             ":scale_factor is 0 (its stored values differ, and all would become one number) "
                             "mend it, or delete it");
  }
  unpacking.apply(values);
}

}  // namespace

std::vector<double> NetcdfSource::read(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                                       std::vector<std::size_t> const& count) const {
  auto const unpacking = unpacking_of(path_, variable);
  std::vector<double> values;
  if (variable.wide_integer()) {
    std::vector<long long> stored;
    read_stored(variable, start, count, growing(stored, count));
    values.resize(stored.size());
    unpacking.apply(stored, values, {});
  } else {
    read_stored(variable, start, count, growing(values, count));
    unpack(path_, variable, unpacking, values);
  }
  return values;
}

std::uint64_t NetcdfSource::read(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                                 std::vector<std::size_t> const& count, std::span<double> values,
                                 std::span<double> low) const {
  auto const unpacking = unpacking_of(path_, variable);
  if (variable.wide_integer()) {
    std::vector<long long> stored;
    read_stored(variable, start, count, growing(stored, count));
    auto const hash = XXH3_64bits(stored.data(), stored.size() * sizeof stored[0]);
    unpacking.apply(stored, values, low);
    return hash;
  }
  std::size_t filled = 0;
  read_stored(variable, start, count, [&](std::size_t arriving) {
    filled += arriving;
    return values.data() + filled - arriving;
  });
  auto const hash = XXH3_64bits(values.data(), values.size_bytes());
  unpack(path_, variable, unpacking, values);
  std::fill(low.begin(), low.end(), 0.);
  return hash;
}

std::vector<std::uint64_t> NetcdfSource::read_raw(NetcdfVariable const& variable,
                                                  std::vector<std::size_t> const& start,
                                                  std::vector<std::size_t> const& count) const {
  std::vector<std::uint64_t> stored;
  read_stored(variable, start, count, growing(stored, count));
  return stored;
}

bool NetcdfSource::take_record(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                               std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const {
  constexpr std::size_t largest_record = 1 << 13, most_ahead = 1 << 17;  // values
  if (count.empty() || count[0] != 1) return false;
  std::size_t size = 1;
  for (std::size_t d = 1; d < count.size(); ++d) {
    if (start[d] != 0 || count[d] != variable.dimensions[d].length) return false;
    size *= count[d];
  }
  if (size == 0 || size > largest_record) return false;
  std::lock_guard const lock{records_mutex_};
  auto& kept = records_;
  auto const record = start[0];
  // Whoever begins with the first record most likely goes on.
  auto const follows = record == 0 || (kept.variable == &variable && kept.next == record);
  if (kept.variable != &variable) kept = {&variable, 0, 0, 0, {}};
  kept.next = record + 1;
  auto const is_kept = [&] { return record >= kept.first && record < kept.first + kept.count; };
  if (!is_kept()) {
    if (!follows) return false;
    auto several = count;
    several[0] = std::min<std::size_t>(variable.dimensions[0].length - record, most_ahead / size);
    std::vector<std::uint64_t> values;
    try {
      foreign_->read(static_cast<std::size_t>(&variable - catalogue_.variables.data()), start, several,
                     growing(values, several));
    } catch (UnreadableVariable const&) {
      return false;  // perhaps a later record alone is damaged
    }
    kept.first = record;
    kept.count = several[0];
    kept.values = std::move(values);
  }
  std::memcpy(sink(size), kept.values.data() + (record - kept.first) * size, size * sizeof kept.values[0]);
  return true;
}

void NetcdfSource::read_stored(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                               std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const {
  auto const number = static_cast<std::size_t>(&variable - catalogue_.variables.data());
  if (joined_ != nullptr) {
    joined_->read(number, start, count, sink);
    return;
  }
  if (classic_ != nullptr) {
    classic_->read(number, start, count, sink);
    return;
  }
  if (foreign_ != nullptr) {
    if (take_record(variable, start, count, sink)) return;
    foreign_->read(number, start, count, sink);
    return;
  }
  auto const lock = lock_netcdf();
  try {
    read_hyperslab(variable, start, count, sink(values_in(count)));
  } catch (NetcdfFailure const& failure) {
    throw InputError(path_ + ": cannot be read (" + failure.what() + ") it may be damaged; copy it again");
  }
}

}  // namespace ulpine::io
