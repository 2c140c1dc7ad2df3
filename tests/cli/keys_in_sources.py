# SPDX-License-Identifier: Apache-2.0
"""Finds keys that a source reads of a case and that no table declares (io/case_keys.hpp).

These are keys that are read, or tables that hold one: a dotted word in quotes that is passed to a reader of a case (`number("grid.dx"`, `has(`,
`error(`, ...); in a source that speaks of CaseFile or KeyReader any dotted word in quotes that begins as a declared key does; a key of an
evaluation (`keys.number("exponent"`); and what is put behind a name that the case chooses (`key + ".limit"`). A core may read its own keys and
those of all cores, one that has declared none what it likes; what all cores share may read those of any.
"""
import re

ROOMS = ("io", "core", "verification", "ensembles", "cli")
READERS = "number|integer|flag|text|choice|duration|numbers|texts|file|has|is_number|keys_under|accept|set_aside|error"
NAME = r"[a-z][a-z0-9_]*"
DOTTED = re.compile(rf"{NAME}(?:\.{NAME})+")
CALL = re.compile(rf"(?:\.|->)\s*(?:{READERS})\s*(?:<[^<>()]*>)?\(\s*\"({DOTTED.pattern})\"")
OF_EVALUATION = re.compile(rf"\bkeys\.(?:required_text|number|text|choice|duration|has|error)\(\s*\"({NAME})\"")
BEHIND = re.compile(rf"\+\s*\"(\.{NAME})\"")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
FILES = (".nc", ".xdmf", ".toml", ".json", ".html")


def without_comments(text):
    """The text with comments blanked, lines kept."""
    token = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
    return token.sub(lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), text)


class Keys:
    """Declared names, in which `*` is any one part."""

    def __init__(self, declared):
        tables = {key[:end] for key in declared for end, letter in enumerate(key) if letter == "."}
        self.names = declared | tables
        self.patterns = [re.compile(re.escape(name).replace(r"\*", r"[^.]+")) for name in self.names if "*" in name]
        self.first_parts = {key.split(".")[0] for key in declared}
        self.endings = {key[key.rfind("."):] for key in declared if "*" in key}

    def know(self, name):
        return name in self.names or any(pattern.fullmatch(name) for pattern in self.patterns)


def undeclared_in(path, text, keys):
    """Pairs of a place in the text and an undeclared key that is read there."""
    for match in CALL.finditer(text):
        if not keys.know(match.group(1)):
            yield match.start(1), match.group(1)
    of_cases = "CaseFile" in text or "KeyReader" in text
    for match in LITERAL.finditer(text) if of_cases else ():
        word = match.group(1)
        if DOTTED.fullmatch(word) and word.split(".")[0] in keys.first_parts and not word.endswith(FILES) and not keys.know(word):
            yield match.start(1), word
    if path.parts[0] != "verification":
        return
    for match in OF_EVALUATION.finditer(text) if "evaluators" in path.parts or path.name == "evaluation.cpp" else ():
        if "evaluate.*." + match.group(1) not in keys.names:
            yield match.start(1), "evaluate.*." + match.group(1)
    for match in BEHIND.finditer(text) if of_cases else ():
        if match.group(1) not in keys.endings:
            yield match.start(1), "*" + match.group(1)


def undeclared(root, declared):
    """Lines `file:line: key` of the sources below `root`; `declared` has the names by core, those of all cores under "common"."""
    everybodys = Keys(set().union(*declared.values()))
    found = {}
    for room in ROOMS:
        for source in sorted((root / room).rglob("*")):
            if source.suffix not in (".cpp", ".hpp", ".cu", ".cuh"):
                continue
            path = source.relative_to(root)
            own = path.parts[1] if room == "core" else None
            if own not in declared and own is not None and (root / room / own / f"{own}_core.cpp").exists():
                continue
            keys = Keys(declared[own] | declared["common"]) if own in declared else everybodys
            text = without_comments(source.read_text())
            for start, key in undeclared_in(path, text, keys):
                found.setdefault((str(path), text.count("\n", 0, start) + 1, key))
    return [f"{path}:{line}: {key}" for path, line, key in found]
