// SPDX-License-Identifier: Apache-2.0
#include "verification/digits/named_samples.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "io/error.hpp"
#include "io/same_file.hpp"
#include "io/seal.hpp"
#include "verification/results/at_rest.hpp"

namespace ulpine::verification {

void require_distinct(NamedSamples const& named, std::function<void()> const& between) {
  auto const& files = named.samples;
  if (auto const same = io::same_file(files)) {
    throw InputError("--samples-from: " + files[same->second].string() + " is the same file as " +
                     files[same->first].string() + " (it would count as two samples) name it once");
  }
  std::vector<io::FileContent> contents;
  for (auto const& file : files) {
    contents.push_back(io::content_of(file));
    between();
  }
  auto const alike =
      contents.empty() || std::ranges::count(contents, contents.front()) == std::ssize(contents);
  for (std::size_t n = 1; n < files.size() && !alike; ++n) {
    auto const first = std::ranges::find(contents, contents[n]) - contents.begin();
    if (static_cast<std::size_t>(first) == n) continue;
    throw InputError("--samples-from: " + files[n].string() + " has the bytes of " +
                     files[static_cast<std::size_t>(first)].string() +
                     " (a copy would count as two samples) name one of them");
  }
  std::array const held = {named.nearest, named.wider};
  if (io::same_file(held)) {
    throw InputError("--wider: " + named.wider.string() +
                     " is the file of --nearest (a run is not held against itself) name the run of the wider "
                     "arithmetic");
  }
}

void note_doubts(Digits& digits, std::filesystem::path const& looked_at) {
  if (ends_as_it_began(io::InputFile(looked_at))) {
    digits.notes.push_back("nothing happened: " + looked_at.string() +
                           " ends as it began, so that its digits say nothing of the arithmetic");
  }
  if (!digits.finite)
    digits.notes.push_back("samples are not finite at points that stand in not_finite_share");
}

}  // namespace ulpine::verification
