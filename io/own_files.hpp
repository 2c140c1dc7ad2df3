// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

// The user's files are the user's. What a command replaces has Ulpine's signature; anything else of that
// name is refused, or replaced only where the user says so. A file is written under another name in its own
// folder, brought to the disk and renamed, so that its name always has the old one or the new one, whole.

namespace ulpine::io {

/// The text by which a kind of Ulpine's files differs from any other file of the same name.
struct FileSignature {
  enum class Place {
    start,   ///< the file begins with the text
    end,     ///< the file ends with the text, but for white space
    head,    ///< the text is within the first 4 KiB
    schema,  ///< a JSON object whose first member is "schema", a text that begins with the signature's
    hdf5     ///< an HDF5 file with the text, an attribute's name, within its first 16 MiB
  };
  Place place;
  std::string_view text;
  std::string_view what;  ///< name of such a file in messages
};

namespace signatures {

inline constexpr FileSignature output{FileSignature::Place::hdf5, "ulpine_created", "output of a run"},
    restart{FileSignature::Place::hdf5, "restart_schema", "restart of a run"},
    summary{FileSignature::Place::hdf5, "ulpine_summary", "summary of an ensemble"},
    trace{FileSignature::Place::start, "ULPTRACE", "trace of a run"},
    hash_log{FileSignature::Place::start, "ULPHASHS", "log of hashes"},
    mesh_text{FileSignature::Place::start,
              "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain><Grid Name=\"times\" "
              "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
              "XDMF of a run"},
    run{FileSignature::Place::schema, "ulpine.run/", "record of a run"},
    manifest{FileSignature::Place::schema, "ulpine.manifest/", "manifest of a study"},
    results{FileSignature::Place::schema, "ulpine.results/", "results of a study"},
    comparison{FileSignature::Place::schema, "ulpine.comparison/", "comparison"},
    consistency{FileSignature::Place::schema, "ulpine.consistency/", "results of `consistency`"},
    digits{FileSignature::Place::schema, "ulpine.digits/", "results of `digits`"},
    search{FileSignature::Place::schema, "ulpine.search/", "results of `search`"},
    search_log{FileSignature::Place::schema, "ulpine.search-log/", "log of a search"},
    markup{FileSignature::Place::end, "<!-- written by Ulpine -->", "text"},
    table{FileSignature::Place::end, "written by Ulpine", "text"},
    stages{FileSignature::Place::start, "# Stages in a precision of their own: `ulpine run",
           "choice of a search"},
    script{FileSignature::Place::head, "#SBATCH --job-name=ulpine-", "job script of a study"},
    page{FileSignature::Place::head, "<meta name=\"generator\" content=\"Ulpine\">", "page"};

}  // namespace signatures

/// Whether `path` is an ordinary file, no link to one, that has the signature. False where it cannot be read.
bool has_signature(std::filesystem::path const& path, FileSignature const& signature);
/// The text with the signature at its end, for signatures whose place is there.
std::string with_signature(std::string text, FileSignature const& signature);

/// Whether a file that Ulpine did not write may be overwritten.
enum class Overwrite {
  never,       ///< the command has no option for it
  on_request,  ///< no, but the option --overwrite of the command would allow it
  requested    ///< yes, by that option
};
/// InputError unless nothing is at `path`, or an ordinary file that has the signature. With
/// Overwrite::requested any ordinary file or symbolic link will do, whose place the new file takes: what a
/// link leads to stays. A folder or another thing of that name is refused all the same.
void require_replaceable(std::filesystem::path const& path, FileSignature const& signature,
                         Overwrite overwrite = Overwrite::never);
inline Overwrite overwrite_if(bool requested) {
  return requested ? Overwrite::requested : Overwrite::on_request;
}
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
  /// The temporary path at which to write it.
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
