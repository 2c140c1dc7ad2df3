// SPDX-License-Identifier: Apache-2.0
#include "io/joined_source.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>
#include <map>
#include <utility>

#include "io/absence.hpp"
#include "io/box_visit.hpp"
#include "io/file_set.hpp"
#include "io/netcdf_source.hpp"
#include "io/part_place.hpp"

namespace ulpine::io {
namespace {

/// Parts that stay open while they are used: those used last, of all sets.
class OpenParts {
 public:
  std::shared_ptr<NetcdfSource const> operator()(std::filesystem::path const& path) {
    std::lock_guard const lock{mutex_};
    auto const found = std::ranges::find(open_, path, &Entry::first);
    if (found != open_.end()) {
      open_.splice(open_.begin(), open_, found);
      return found->second;
    }
    if (open_.size() == most) open_.pop_back();
    open_.emplace_front(path, std::make_shared<NetcdfSource const>(path));
    return open_.front().second;
  }
  /// Closes files that a set needs no longer.
  void close(std::vector<std::filesystem::path> const& paths) {
    std::lock_guard const lock{mutex_};
    std::erase_if(open_, [&](Entry const& entry) { return std::ranges::count(paths, entry.first) > 0; });
  }

 private:
  /// Each takes a descriptor here and a process; a shell allows 256 descriptors at the least.
  static constexpr std::size_t most = 48;
  using Entry = std::pair<std::filesystem::path, std::shared_ptr<NetcdfSource const>>;
  std::mutex mutex_;
  std::list<Entry> open_;  ///< last used first
};

OpenParts& open_parts() {
  static OpenParts parts;
  return parts;
}

/// The stored value that reads as missing.
std::uint64_t missing_value(NetcdfVariable const& variable, bool unpacked) {
  auto const absent_bits = std::bit_cast<std::uint64_t>(absent(Absence::fill));
  if (unpacked) return absent_bits;
  if (!variable.numeric()) return 0;
  auto const found = variable.attributes.find("_FillValue");
  if (found == variable.attributes.end()) return absent_bits;
  auto const first = [&](auto const& values) {
    if (values.empty()) return absent_bits;
    return variable.wide_integer() ? static_cast<std::uint64_t>(values[0])
                                   : std::bit_cast<std::uint64_t>(static_cast<double>(values[0]));
  };
  if (auto const* whole = std::get_if<std::vector<std::int64_t>>(&found->second)) return first(*whole);
  if (auto const* natural = std::get_if<std::vector<std::uint64_t>>(&found->second)) return first(*natural);
  if (auto const* numbers = std::get_if<std::vector<double>>(&found->second)) return first(*numbers);
  return absent_bits;
}

}  // namespace

/// An answer that is put together.
struct JoinedSource::Request {
  NetcdfVariable const& variable;
  JoinedVariable const& joined;
  std::vector<std::size_t> const& start;
  std::vector<std::size_t> const& count;
  std::uint64_t* values = nullptr;
  std::vector<bool> written = {};  ///< of variables with places in several blocks

  /// Calls `visit(offset)` for each row of the box, with the place of its first value among all.
  template <class Visit>
  void for_each_row(std::vector<std::size_t> const& from, std::vector<std::size_t> const& extent,
                    Visit const& visit) const {
    std::vector<std::size_t> at(extent.size(), 0);
    for (;;) {
      std::size_t offset = 0;
      for (std::size_t d = 0; d < extent.size(); ++d) offset = offset * count[d] + from[d] + at[d] - start[d];
      visit(offset);
      if (extent.empty()) return;
      auto d = extent.size() - 1;
      while (d > 0 && ++at[d - 1] == extent[d - 1]) at[--d] = 0;
      if (d == 0) return;
    }
  }
};

namespace {

/// The plan of a set, which is made once for all who have it open.
std::shared_ptr<JoinedPlan const> plan_of(std::filesystem::path const& name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<JoinedPlan const>> plans;
  std::lock_guard const lock{mutex};
  auto plan = plans[name.string()].lock();
  if (plan == nullptr) {
    plan = std::make_shared<JoinedPlan const>(join(name, files_of_set(name)));
    plans[name.string()] = plan;
  }
  return plan;
}

}  // namespace

JoinedSource::JoinedSource(std::filesystem::path const& name) : name_{name.string()}, plan_{plan_of(name)} {}

JoinedSource::~JoinedSource() {
  if (plan_.use_count() == 1) open_parts().close(plan_->files);
}

std::vector<std::string> notes_of_parts(std::filesystem::path const& path) {
  if (names_set(path)) return plan_of(path)->notes;
  NetcdfSource const file(path);
  auto told = told_of_part(file.catalogue(), path);
  return told.empty() ? std::vector<std::string>{} : std::vector{std::move(told)};
}

void JoinedSource::read(std::size_t variable, std::vector<std::size_t> const& start,
                        std::vector<std::size_t> const& count, ForeignNetcdf::Sink const& sink) const {
  auto const size = product_of(count);
  if (size == 0) return;
  Request request{plan_->catalogue.variables[variable], plan_->variables[variable], start, count};
  auto const& joined = request.joined;
  if (joined.kept) {
    auto* values = static_cast<std::uint64_t*>(sink(size));
    std::vector<std::size_t> extent = count;
    auto const row = extent.empty() ? 1 : extent.back();
    auto const& dimensions = request.variable.dimensions;
    std::vector<std::size_t> at(count.size(), 0);
    for (std::size_t done = 0; done < size; done += row) {
      std::size_t from = 0;
      for (std::size_t d = 0; d < at.size(); ++d) from = from * dimensions[d].length + start[d] + at[d];
      std::copy_n(joined.values.begin() + std::ptrdiff_t(from), row, values + done);
      for (auto d = at.size(); d-- > 1 && ++at[d - 1] == count[d - 1];) at[d - 1] = 0;
    }
    return;
  }
  request.values = static_cast<std::uint64_t*>(sink(size));
  if (joined.gaps) std::fill_n(request.values, size, missing_value(request.variable, joined.unpacked));
  if (joined.overlaps) request.written.assign(size, false);
  for (auto const& block : *joined.blocks) read_block(request, block);
}

void JoinedSource::read_block(Request& request, JoinedBlock const& block) const {
  std::vector<std::size_t> from, extent;
  for (std::size_t d = 0; d < block.spans.size(); ++d) {
    auto const first = std::max(block.spans[d].first, std::int64_t(request.start[d]));
    auto const last = std::min(block.spans[d].first + block.spans[d].count,
                               std::int64_t(request.start[d] + request.count[d]));
    if (first >= last) return;
    from.push_back(std::size_t(first));
    extent.push_back(std::size_t(last - first));
  }
  if (!request.joined.time) {
    read_part(request, block, block.records[0], from, extent);
    return;
  }
  auto const time =
      *request.joined.time + (request.joined.tile && *request.joined.tile <= *request.joined.time);
  auto const end = from[time] + extent[time];
  for (auto t = from[time]; t < end;) {
    auto const& record = block.records[t];
    auto next = t + 1;
    while (next < end && block.records[next].part == record.part &&
           block.records[next].index == record.index + std::int64_t(next - t)) {
      ++next;
    }
    from[time] = t;
    extent[time] = next - t;
    read_part(request, block, record, from, extent);
    t = next;
  }
}

void JoinedSource::read_part(Request& request, JoinedBlock const& block, Record const& record,
                             std::vector<std::size_t> const& from,
                             std::vector<std::size_t> const& extent) const {
  auto const& path = plan_->files[std::size_t(record.part)];
  auto const source = open_parts()(path);
  auto const& variables = source->catalogue().variables;
  auto const found = std::ranges::find(variables, request.variable.name, &NetcdfVariable::name);
  std::vector<std::size_t> start, count;
  for (std::size_t d = 0, own = 0; d < extent.size(); ++d) {
    if (request.joined.tile == d) continue;
    auto const is_time = request.joined.time == own++;
    start.push_back(is_time ? std::size_t(record.index)
                            : from[d] - std::size_t(block.spans[d].first) + std::size_t(block.spans[d].skip));
    count.push_back(extent[d]);
  }
  auto fits = found != variables.end() && found->dimensions.size() == count.size();
  for (std::size_t d = 0; fits && d < count.size(); ++d)
    fits = start[d] + count[d] <= found->dimensions[d].length;
  if (!fits) {
    throw InputError(path.string() + ": " + request.variable.name +
                     ": is no more as it was (the file changed while it was read) repeat the command");
  }
  std::vector<std::uint64_t> values;
  if (request.joined.unpacked) {
    std::vector<double> numbers(product_of(count));
    source->read(*found, start, count, numbers, {});
    values.resize(numbers.size());
    std::memcpy(values.data(), numbers.data(), numbers.size() * sizeof numbers[0]);
  } else {
    values = source->read_raw(*found, start, count);
  }
  auto const row = extent.empty() ? 1 : extent.back();
  auto next = values.begin();
  request.for_each_row(from, extent, [&](std::size_t offset) {
    for (std::size_t i = 0; !request.written.empty() && i < row; ++i) {
      if (request.written[offset + i] && request.values[offset + i] != next[std::ptrdiff_t(i)]) {
        throw UnreadableVariable(
            path.string() + ": " + request.variable.name + ": other values than another part of " + name_ +
            " has at the same place (nothing tells which are meant) name parts of one run "
            "alone");
      }
      request.written[offset + i] = true;
    }
    std::copy_n(next, row, request.values + offset);
    next += std::ptrdiff_t(row);
  });
}

}  // namespace ulpine::io
