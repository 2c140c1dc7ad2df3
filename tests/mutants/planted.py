# SPDX-License-Identifier: Apache-2.0
"""The list of planted faults (the *.toml files beside this one), and the source with all of them behind switches."""
import hashlib
import json
import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CXX = {".cpp", ".hpp", ".cu", ".cuh"}
FIELDS = {"name", "file", "text", "to", "mistake", "switched", "occurrence"}

# The header that every file of the instrumented copy sees first. Constant expressions have no mutants. Where a file is
# named to keep which mutants are reached, each sets the byte of its number there, whatever becomes of its process.
REACHED_BYTES = 1 << 29
HEADER = f"""// Written by tests/mutants/run.py.
#pragma once
#if defined(__cplusplus) && !defined(__CUDACC__)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>
namespace ulpine_mutants {{
__attribute__((visibility("hidden"))) inline int active = 0;
__attribute__((visibility("hidden"))) inline unsigned char volatile* reached = nullptr;
__attribute__((constructor(101))) static void read_active() {{
  if (char const* text = std::getenv("ULPINE_MUTANT")) active = std::atoi(text);
  char const* file = std::getenv("ULPINE_MUTANTS_REACHED");
  if (file == nullptr || reached != nullptr) return;
  int const opened = open(file, O_RDWR | O_CLOEXEC);
  void* const bytes = opened < 0 ? MAP_FAILED : mmap(nullptr, {REACHED_BYTES}, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  if (bytes == MAP_FAILED) _exit(117);
  close(opened);
  reached = static_cast<unsigned char volatile*>(bytes);
  active = -1;
}}
inline void reach(int number) {{
  if (reached[number] == 0) reached[number] = 1;
}}
constexpr bool on(int number) {{
  if (__builtin_is_constant_evaluated()) return false;
  if (active < 0) reach(number);
  return active == number;
}}
}}  // namespace ulpine_mutants
#endif
"""


class Mutant:
    def __init__(self, room, entry):
        unknown = set(entry) - FIELDS
        if unknown or not {"name", "file", "text", "to", "mistake"} <= set(entry):
            raise SystemExit(f"{room}.toml: {entry.get('name')}: keys are name, file, text, to, mistake; and switched, occurrence")
        self.room, self.entry = room, entry
        self.name, self.file, self.to = entry["name"], entry["file"], entry["to"]
        # From the name alone, so that a new mutant leaves the code of the others as it is.
        self.number = int(hashlib.sha256(f"{room}/{self.name}".encode()).hexdigest()[:7], 16) + 1
        parts = re.fullmatch(r"(.*)«(.*)»(.*)", entry["text"], re.S)
        if not parts:
            raise SystemExit(f"{room}.toml: {self.name}: text has no part in «»")
        self.parts = parts.groups()

    @property
    def compiled(self):
        return pathlib.Path(self.file).suffix in CXX

    def digest(self):
        return hashlib.sha256(json.dumps(self.entry, sort_keys=True).encode()).hexdigest()[:16]

    def place(self, source):
        """Begin and end of what is changed. Blanks match any run of blanks, so that a new line break breaks nothing."""
        pattern = "".join("(" + r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) + ")" for part in self.parts)
        found = list(re.finditer(pattern, source))
        wanted = self.entry.get("occurrence")
        if wanted is None and len(found) != 1 or wanted is not None and len(found) < wanted:
            raise ValueError(f"{self.room}.toml: {self.name}: its text occurs {len(found)} times in {self.file}")
        return found[(wanted or 1) - 1].span(2)

    def switched(self, old):
        """C++ that does the one or the other."""
        on = f"::ulpine_mutants::on({self.number})"
        if "switched" in self.entry:
            return self.entry["switched"].replace("ON", on)
        end = (old.strip() or self.to.strip())[-1:]
        if end in (";", "}"):
            if not self.to.strip():
                return f"if (!{on}) {{ {old} }}"
            return f"if ({on}) {{ {self.to} }} else {{ {old} }}"
        return f"({on} ? ({self.to}) : ({old}))"


def is_member(source, begin, end):
    """Whether the place is a member's name after its object, which belongs to what is exchanged (a statement may follow a sentence)."""
    return re.search(r"(\.|->)\s*$", source[:begin]) is not None and source[begin:end].strip()[-1:] not in (";", "}")


def cuts_a_word(source, begin, end):
    """Whether the place begins or ends amid a name."""
    return any(re.fullmatch(r"\w\w", source[at - 1:at + 1]) is not None for at in (begin, end))


def load(rooms):
    """All mutants in the order of files and entries; each file is one of `rooms`."""
    mutants, numbers = [], set()
    for path in sorted(HERE.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", []):
            mutant = Mutant(path.stem, entry)
            if mutant.room not in rooms:
                raise SystemExit(f"{path.name}: no test programs are listed for this room in run.py")
            if mutant.number in numbers:
                raise SystemExit(f"{path.name}: {mutant.name} is there twice (or another name has its number: choose another)")
            numbers.add(mutant.number)
            mutants.append(mutant)
    return mutants


def instrument(source, mutants):
    """`source` with every mutant behind its switch; mutants of the same part are chained."""
    places = {}
    for mutant in mutants:
        places.setdefault(mutant.place(source), []).append(mutant)
    spans = sorted(places)
    for before, after in zip(spans, spans[1:]):
        if before[1] > after[0]:
            names = [m.name for span in (before, after) for m in places[span]]
            raise ValueError(f"{mutants[0].file}: mutants overlap: {', '.join(names)}")
    for begin, end in reversed(spans):
        text = source[begin:end]
        for mutant in places[begin, end]:
            text = mutant.switched(text)
        source = source[:begin] + text + source[end:]
    return source


def in_constant(source, begin):
    """Whether the place is in the value of a constexpr variable or in a static_assert, where mutants are never on."""
    statement = re.split(r"[;}]", source[:begin])[-1]
    return re.search(r"\b(constexpr|constinit)\b[^()]*(?<!operator)(?<!operator=)[={]|\bstatic_assert\b", statement) is not None


def can_switch(part, to):
    """Whether both are expressions, or the part a statement."""
    if (part.strip() or to.strip())[-1:] in (";", "}"):
        return not re.match(r"[\w:<>,. =]+\{[^;]*\}$", part.strip())
    operator = re.compile(r"[-+*/%<>=!&|^~?:]+|(\|\||&&|[/%<>=|^?]).*", re.S)
    return bool(to.strip()) and not any(operator.fullmatch(text.strip()) for text in (part, to))


def check(mutants):
    """Problems of the list: texts that are not there, not alone, overlap, or are constants."""
    problems, sources = [], {}
    for mutant in mutants:
        sources.setdefault(mutant.file, []).append(mutant)
    for file, group in sources.items():
        if not (ROOT / file).is_file():
            problems.append(f"{file}: no such file, but {group[0].room}.toml has mutants of it")
            continue
        source = (ROOT / file).read_text(encoding="utf-8")
        applies = []
        for mutant in group:
            try:
                begin, end = mutant.place(source)
                if source[begin:end] == mutant.to:
                    problems.append(f"{mutant.room}.toml: {mutant.name}: changes nothing")
                if mutant.compiled and "switched" not in mutant.entry:
                    if not can_switch(source[begin:end], mutant.to):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: no switch can choose between its texts (give `switched`)")
                    if is_member(source, begin, end):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: exchanges a member's name alone (put its object into «», too)")
                    if cuts_a_word(source, begin, end):
                        problems.append(f"{mutant.room}.toml: {mutant.name}: begins or ends amid a name")
                if mutant.compiled and in_constant(source, begin):
                    problems.append(f"{mutant.room}.toml: {mutant.name}: is never on, in a constant expression")
                applies.append(mutant)
            except ValueError as error:
                problems.append(str(error))
        if group[0].compiled:
            try:
                instrument(source, applies)
            except ValueError as error:
                problems.append(str(error))
    return problems
