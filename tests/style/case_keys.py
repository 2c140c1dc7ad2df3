#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every key of a case is declared: case_keys.py ROOT. Prints `file:line: problem`; exit 1 if there is any.

A table of keys (io/case_keys.hpp) lies in a file `keys.cpp` or `*_keys.cpp`; every dotted word in quotes there is a declared key, `*` a part
that the case chooses. Elsewhere these are keys that are read, which have to be declared, or tables that hold a declared one: a dotted word that is passed
to a reader of a case (`number("grid.dx"`, `has(`, `error(`, ...); any dotted word that begins as a declared key does, in a source that speaks of
CaseFile or KeyReader; a key of an evaluation (`keys.number("exponent"`); and what is put behind a name that the case chooses (`key + ".limit"`).
A declared key that no other source has in quotes is read by nothing. A core may read its own keys and those that are no other core's; it is looked at once it has a table.
"""
import pathlib
import re
import sys

ROOMS = ("io", "core", "verification", "ensembles", "cli")
# What reads names of its own choice: the keys of a case as such, tables, files of other formats.
READERS = ("number", "integer", "flag", "text", "choice", "duration", "numbers", "texts", "file", "has", "is_number", "keys_under", "accept",
           "set_aside", "error")
NAME = r"[a-z][a-z0-9_]*"
CALL = re.compile(rf"(?:\.|->)\s*(?:{'|'.join(READERS)})\s*(?:<[^<>()]*>)?\(\s*\"({NAME}(?:\.{NAME})+)\"")
OF_EVALUATION = re.compile(rf"\bkeys\.(?:required_text|number|text|choice|duration|has|error)\(\s*\"({NAME})\"")
BEHIND = re.compile(rf"\+\s*\"\.({NAME})\"")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
DECLARED = re.compile(rf"(?:\*|{NAME})(?:\.(?:\*|{NAME}))*")
READ = re.compile(rf"{NAME}(?:\.{NAME})+")
UNDOTTED = {"core", "name", "description"}
CORES = ("seaice", "les", "fdm", "fem")
FILES = (".nc", ".xdmf", ".toml", ".json", ".html")


def is_table(path):
    return path.name == "keys.cpp" or path.name.endswith("_keys.cpp")


def without_comments(text):
    token = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
    return token.sub(lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), text)


def core_of(path):
    """The folder of core/ that a path from the root lies in."""
    parts = path.parts
    return parts[1] if parts[0] == "core" and len(parts) > 2 else None


def declared_in(text):
    keys = set()
    for match in LITERAL.finditer(text):
        word = match.group(1)
        if DECLARED.fullmatch(word) and ("." in word or word in UNDOTTED):
            keys.add(word)
    return keys


class Keys:
    def __init__(self, declared):
        self.declared = declared
        self.tables = {key[:end] for key in declared for end, letter in enumerate(key) if letter == "."}
        self.patterns = [re.compile(re.escape(name).replace(r"\*", r"[^.]+")) for name in declared | self.tables if "*" in name]
        self.first_parts = {key.split(".")[0] for key in declared}

    def knows(self, name):
        return name in self.declared or name in self.tables or any(pattern.fullmatch(name) for pattern in self.patterns)

    def reads_like_one(self, word):
        return READ.fullmatch(word) and word.split(".")[0] in self.first_parts and not word.endswith(FILES)


def keys_read(path, text, keys):
    """Pairs of a place in the text and a key, or the end of one, that is read there."""
    for match in CALL.finditer(text):
        yield match.start(1), match.group(1)
    if "CaseFile" in text or "KeyReader" in text:
        for match in LITERAL.finditer(text):
            if keys.reads_like_one(match.group(1)):
                yield match.start(1), match.group(1)
    if "evaluators" in path.parts or path.name == "evaluation.cpp":
        for match in OF_EVALUATION.finditer(text):
            yield match.start(1), "evaluate.*." + match.group(1)
    if path.parts[0] == "verification" and "CaseFile" in text:
        for match in BEHIND.finditer(text):
            yield match.start(1), "*." + match.group(1)


def check(root):
    """Lines `file:line: problem`."""
    sources = [path for room in ROOMS for path in sorted((root / room).rglob("*")) if path.suffix in (".cpp", ".hpp", ".cu", ".cuh")]
    texts = {path.relative_to(root): without_comments(path.read_text()) for path in sources}
    tables = {path: declared_in(text) for path, text in texts.items() if is_table(path)}
    with_tables = {core_of(path) for path in tables}
    problems = {}

    def complain(path, start, problem):
        problems.setdefault((str(path), texts[path].count("\n", 0, start) + 1), problem)

    others = {path: text for path, text in texts.items() if not is_table(path)}
    for path, text in others.items():
        core = core_of(path)
        if core in CORES and core not in with_tables:
            continue
        of_others = {name for name in CORES if core in CORES and name != core}
        keys = Keys(set().union(*(declared for table, declared in tables.items() if core_of(table) not in of_others)))
        endings = {key[key.rfind("."):] for key in keys.declared if "*" in key}
        for start, name in keys_read(path, text, keys):
            known = name[1:] in endings if name.startswith("*") else name in keys.declared if "*" in name else keys.knows(name)
            if not known:
                complain(path, start, f"'{name}' is read of a case but declared in no table of keys")
    words = {match.group(1) for text in others.values() for match in LITERAL.finditer(text)}
    parts = {part for word in words for part in word.split(".")}
    for path, declared in tables.items():
        for key in declared:
            # Names that are put together have their last part in quotes.
            if key not in words and key not in UNDOTTED and key[key.rfind(".") + 1:] not in parts | {"*"}:
                complain(path, texts[path].index(f'"{key}"'), f"'{key}' is declared but nothing reads it")
    return [f"{path}:{line}: {problem}" for (path, line), problem in sorted(problems.items())]


def main():
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) if problems else "clean")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
