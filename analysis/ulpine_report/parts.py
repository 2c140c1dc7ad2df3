# SPDX-License-Identifier: Apache-2.0
"""What files other than results.json add to a page: a section each, on the page of a study or on a page of their own."""

from dataclasses import dataclass, field

from . import comparison, consistency, digits, on_cards, sensitivity
from .values import InputError, any_text, mapping

READERS = (("consistency.json", consistency), ("digits.json", digits), ("search.json", sensitivity), ("cards.json", on_cards))  # each module has read(data, where), which throws InputError, and section(found)


@dataclass
class Part:
    """A section, with what its template needs."""

    file: str
    anchor: str
    title: str  # heading, and entry of the contents
    headline: str  # what the file says, in a sentence
    template: str
    values: dict  # of the template
    figures: list  # drawing.Figure
    provenance: dict  # key -> text
    case: str
    status: str = ""  # icon of the answer, where there is one
    problems: list = field(default_factory=list)  # what could not be used


def parts_of(folder, read_json):
    """(the sections, what could not be read as (file, one line)) of the files that are in `folder`; `read_json` gives None where there is no file."""
    found, refused = [], []
    for file, module in READERS:
        try:
            data = read_json(folder / file)
            if data is not None:
                found.append(part(file, module, data, folder / file))
        except InputError as error:
            refused.append((file, str(error)))
    return found, refused


def comparison_of(path, read_json):
    """The section of a comparison of two studies, a file of any name; InputError where it is none."""
    data = read_json(path)
    if data is None:
        raise InputError(f"{path}: not there (a comparison is made from it) run `ulpine report --against`")
    return part(path.name, comparison, data, path)


def part(file, module, data, where):
    if data.get("schema") != module.SCHEMA:
        raise InputError(f"{where}: schema {any_text(data.get('schema'))[:60] or 'missing'} (this report reads {module.SCHEMA}) use the ulpine version that wrote the file")
    return Part(file, **module.section(module.read(data, where)), provenance={str(key): any_text(value) for key, value in mapping(data.get("provenance")).items()},
                case=case_name(data.get("case")))


def case_name(raw):
    """The name of a case, which a file gives as a text or as an object."""
    return raw if isinstance(raw, str) else any_text(mapping(raw).get("name"))
