// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// The user's files are the user's. What a command replaces bears a mark of Ulpine's; anything else of that
// name is refused, or replaced only where the user says so. A file is written under another name in its own
// folder, brought to the disk and renamed, so that its name always has the old one or the new one, whole.

namespace ulpine::io {

/// The mark by which a kind of Ulpine's files differs from any other file of the same name.
struct Mark {
  enum class Place {
    start,   ///< the file begins with the text
    end,     ///< the file ends with the text, but for white space
    head,    ///< the text is within the first 4 KiB
    schema,  ///< a JSON object whose first member is "schema", a text that begins with the mark's
    hdf5     ///< an HDF5 file with the text, an attribute's name, within its first 16 MiB
  };
  Place place;
  std::string_view text;
  std::string_view what;  ///< name of such a file in messages
};

namespace marks {

inline constexpr Mark output{Mark::Place::hdf5, "ulpine_created", "output of a run"},
    restart{Mark::Place::hdf5, "restart_schema", "restart of a run"},
    summary{Mark::Place::hdf5, "ulpine_summary", "summary of an ensemble"},
    trace{Mark::Place::start, "ULPTRACE", "trace of a run"},
    hash_log{Mark::Place::start, "ULPHASHS", "log of hashes"},
    mesh_text{Mark::Place::start,
              "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain><Grid Name=\"times\" "
              "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
              "XDMF of a run"},
    run{Mark::Place::schema, "ulpine.run/", "record of a run"},
    manifest{Mark::Place::schema, "ulpine.manifest/", "manifest of a study"},
    results{Mark::Place::schema, "ulpine.results/", "results of a study"},
    comparison{Mark::Place::schema, "ulpine.comparison/", "comparison"},
    consistency{Mark::Place::schema, "ulpine.consistency/", "results of `consistency`"},
    digits{Mark::Place::schema, "ulpine.digits/", "results of `digits`"},
    search{Mark::Place::schema, "ulpine.search/", "results of `search`"},
    search_log{Mark::Place::schema, "ulpine.search-log/", "log of a search"},
    markup{Mark::Place::end, "<!-- written by Ulpine -->", "text"},
    table{Mark::Place::end, "written by Ulpine", "text"},
    stages{Mark::Place::start, "# Stages in a precision of their own: `ulpine run", "choice of a search"},
    script{Mark::Place::head, "#SBATCH --job-name=ulpine-", "job script of a study"},
    page{Mark::Place::head, "<meta name=\"generator\" content=\"Ulpine\">", "page"};

}  // namespace marks

/// Whether `path` is an ordinary file, no link to one, that bears the mark. False where it cannot be read.
bool bears(std::filesystem::path const& path, Mark const& mark);
/// The text with the mark at its end, of marks that have their place there.
std::string marked(std::string text, Mark const& mark);

/// How files at the wanted path that others wrote are treated.
enum class Others {
  stay,               ///< and the command is refused
  stay_unless_asked,  ///< as `stay`, for a command with the option --overwrite
  go                  ///< the option was given
};
/// InputError unless nothing is at `path`, or an ordinary file that bears the mark. Where the files of others
/// go, any ordinary file or symbolic link will do, whose place the new file takes: what a link leads to
/// stays. A folder or another thing of that name is refused all the same.
void require_replaceable(std::filesystem::path const& path, Mark const& mark, Others others = Others::stay);
inline Others others_by(bool overwrite) { return overwrite ? Others::go : Others::stay_unless_asked; }
/// InputError where `path` is the very file that is read at one of `inputs`, by whatever name; empty and
/// missing ones are passed over.
void require_no_input(std::filesystem::path const& path, std::span<std::filesystem::path const> inputs);

/// Waits until a file's data, or a folder's entries, are on the disk; EnvironmentError about `name` where
/// that fails.
void sync(std::filesystem::path const& path, std::filesystem::path const& name);

/// A file or folder that is written under a temporary name in its own folder. What is not placed is removed
/// with the object.
class BegunFile {
 public:
  explicit BegunFile(std::filesystem::path path);
  BegunFile(BegunFile&& other) noexcept;
  BegunFile& operator=(BegunFile&&) = delete;
  ~BegunFile();
  /// Where it is to be written.
  std::filesystem::path const& begun() const { return begun_; }
  /// Gives it its name, at once and for good, in place of the file that has it. EnvironmentError where that
  /// fails.
  void place();

 private:
  std::filesystem::path path_, begun_;  ///< begun_ is empty where nothing is left to be removed
};
/// Writes the text to `path` so. EnvironmentError where that fails, with what was there as it was.
void write_atomically(std::filesystem::path const& path, std::string_view text);

}  // namespace ulpine::io
