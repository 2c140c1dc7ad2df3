// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/model/model.hpp"
#include "core/model/ranked_model.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_ranks.hpp"

namespace ulpine::test {

/// A team of ranks for models, threads of this process, while it lives.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size) : ThreadTeam{thread_ranks(size)} {}
  explicit ThreadTeam(std::vector<std::shared_ptr<Ranks>> ranks) : ranks_{std::move(ranks)} {
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
      threads_.emplace_back([own = ranks_[rank]] { serve(*own); });
    }
    set_team(ranks_.front());
  }
  ThreadTeam(ThreadTeam const&) = delete;
  ThreadTeam& operator=(ThreadTeam const&) = delete;
  ~ThreadTeam() {
    set_team(nullptr);
    dismiss(*ranks_.front());
  }

 private:
  std::vector<std::shared_ptr<Ranks>> ranks_;
  std::vector<std::jthread> threads_;
};

/// On the host, on each of these numbers of ranks.
inline std::vector<ModelOptions> on_ranks(std::vector<int> const& numbers) {
  std::vector<ModelOptions> places;
  for (auto const ranks : numbers) {
    auto& place = places.emplace_back();
    place.ranks = ranks;
    place.threads = ranks == 2 ? 2 : 1;
  }
  return places;
}

/// On the host alone, on 1 to 4 ranks with GPUs (each its own where there are so many), and on one GPU beside
/// two ranks of the host.
inline std::vector<ModelOptions> on_gpus() {
  auto places = on_ranks({1, 1, 2, 3, 4, 3});
  for (std::size_t n = 1; n < places.size(); ++n) places[n].device = "cuda";
  places.back().host_ranks = 2;
  return places;
}

/// With what words a case, which ends "end = '1 h'" for runs, is refused on so many ranks; empty: it is not.
inline std::string refusal_on_ranks(std::string text, std::string const& policy, int ranks) {
  std::string const end = "end = '1 h'";  // no model's key
  text.replace(text.find(end), end.size(), "");
  ModelOptions options;
  options.policy = policy;
  options.ranks = ranks;
  return message_of<InputError>([&] { make_model(io::CaseFile::parse(text, "case.toml"), options); });
}

}  // namespace ulpine::test
