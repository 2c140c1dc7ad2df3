// SPDX-License-Identifier: Apache-2.0
#include "core/model/common_keys.hpp"

#include <cstddef>
#include <limits>

namespace ulpine {

std::vector<io::CaseKey> const& common_case_keys() {
  static std::vector<io::CaseKey> const keys = {
      io::text_key("core", "", "the equations that are solved: the name of a dynamical core")
          .follows("required"),
      io::text_key("name", "", "name of the case in results and reports, one line of text")
          .follows("the file's name without its ending"),
      io::text_key("description", "", "what the case shows, one line, as `ulpine cases` lists it"),
      io::text_key("extends", "",
                   "another case file, whose keys hold where this one has none; a path that starts at this "
                   "file's folder")
          .follows("none"),
      io::texts_key("without", "[]", 0, std::numeric_limits<std::size_t>::max(),
                    "tables and keys of the extended case that do not hold here")
          .needing("extends"),
      io::duration_key("time.end", "0 s", 0, longest_time,
                       "time at which the run ends, counted from its start; with steps of one length a "
                       "multiple of them")
          .follows("required, unless the command has --until"),
      io::duration_key("output.interval", "0 s", 0, longest_time,
                       "time between two outputs; with steps of one length a multiple of them; 0: the "
                       "output has the start and the end alone"),
  };
  return keys;
}

}  // namespace ulpine
