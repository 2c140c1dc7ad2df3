// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/ranks/ranks.hpp"

/// Models that several ranks compute. Rank 0 is the one that runs the program; the others serve it: what it
/// asks of a model they do, too, each for its part. So whatever knows models knows nothing of ranks.
namespace ulpine {

/// Makes `world`, of which this is rank 0 and in which all others are in serve(), the team for models:
/// make_model() with ModelOptions::ranks of up to its size. Null: no team. Models go before it is replaced.
void set_team(std::shared_ptr<Ranks> world);
/// Ranks of the team, at least 1.
int team_size();

/// A command's words to its exit code; does not throw.
using CommandOfRank = std::function<int(std::vector<std::string> const& words)>;
/// Serves rank 0 of `world` until it dismisses; returns then. Errors in a model are rank 0's to tell.
/// Commands are called by `command`.
void serve(Ranks& world, CommandOfRank const& command = {});
/// Rank 0 has each other rank r of the team call words_of(r), and goes on.
void call_ranks(std::function<std::vector<std::string>(int rank)> const& words_of);
/// Waits for them; the largest exit code.
int await_ranks();
/// Lets all others return from serve().
void dismiss(Ranks& world);

/// The device of this rank's part of a model of the team with these options: on several ranks "cuda" is the
/// GPU of the rank's number among all of the program on its machine, and "cpu" on the last host_ranks.
std::string own_device(ModelOptions const& options);

/// The model on the first options.ranks of the team, all of which open the case's files for themselves, on
/// the device own_device() of each. An error that all ranks have alike is thrown as such and the model stays
/// as it is; one that only some have, or a rank that ends, is an EnvironmentError, after which the model can
/// only go. EnvironmentError where the team is smaller.
std::unique_ptr<Model> make_ranked_model(io::CaseFile const& case_file, ModelOptions const& options);

}  // namespace ulpine
