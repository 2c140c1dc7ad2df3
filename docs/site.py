# SPDX-License-Identifier: Apache-2.0
"""What the site needs beyond mkdocs: anchors as repositories show them, names of files outside docs/ in place of links to them, and lists without an empty line before them."""
import os
import re

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```)", re.S | re.M)
ITEM = re.compile(r"^([-*]|\d+\.) ")


def anchor(heading, _separator):
    """What GitHub and GitLab make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def inside(prose, folder):
    """Without links that leave docs/: the label, and the file's name where the label does not say it."""
    def shown(match):
        label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group()
        path = os.path.normpath(os.path.join(folder, target.partition("#")[0]))
        if not path.startswith("../"):
            return match.group()
        name = path[3:]
        return f"`{name}`" if label == name else f"{label} (`{name}`)"
    return LINK.sub(shown, prose)


def spaced(prose):
    """With an empty line before each list, which Python's Markdown asks for and others do not."""
    lines, before = [], ""
    for line in prose.split("\n"):
        if ITEM.match(line) and before.strip() and not ITEM.match(before) and not before.startswith(" ") and not listing(lines):
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def listing(lines):
    """Whether the last paragraph of `lines` is a list already."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if ITEM.match(line):
            return True
    return False


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = anchor
    return config


def on_page_markdown(markdown, page, **_):
    folder = os.path.dirname(page.file.src_path)
    return "".join(part if part.startswith("```") else spaced(inside(part, folder)) for part in FENCE.split(markdown))


def on_files(files, **_):
    """Leaves out what makes the pages: scripts and the configuration of Doxygen."""
    for file in [file for file in files if file.src_path.startswith("__pycache__/")]:
        files.remove(file)
    for name in ("build", "generate", "site.py", "Doxyfile"):
        file = files.get_file_from_path(name)
        if file is not None:
            files.remove(file)
    return files
