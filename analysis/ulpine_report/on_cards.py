# SPDX-License-Identifier: Apache-2.0
"""What a step of the case is predicted to take on other cards: the section of a page that comes of cards.json."""

from .values import InputError, any_text, mapping, number, objects, text

SCHEMA = "ulpine.cards/1"
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def read(data, where):
    """The cards with what is known of each; InputError where there are none."""
    cards = []
    for raw in objects(data.get("cards")):
        policies = [{"policy": text(one.get("policy")), "seconds": number(one.get("seconds")),
                     "waits": [(any_text(wait.get("for")), number(wait.get("share"))) for wait in objects(one.get("waits"))]} for one in objects(raw.get("policies"))]
        policies = [one for one in policies if one["policy"] and one["seconds"]]
        if text(raw.get("name")) and policies:
            left_out = raw.get("not_counted") if isinstance(raw.get("not_counted"), list) else []
            cards.append({"name": raw["name"], "efficiencies": any_text(raw.get("efficiencies")), "left_out": [any_text(name) for name in left_out], "policies": policies})
    if not cards:
        raise InputError(f"{where}: cards: none with times (the page tells them) make it anew with `ulpine report --on`")
    return {"cards": cards, "case": any_text(mapping(data.get("case")).get("name"))}


def duration(seconds):
    """Seconds in the unit that makes them readable."""
    scale, unit = next((one for one in UNITS if seconds >= one[0]), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def rows(found):
    """(card, policy, time, part of fp64's, what it waits for, whether another card begins) of each table row."""
    told = []
    for card in found["cards"]:
        base = next((one["seconds"] for one in card["policies"] if one["policy"] == "fp64"), None)
        for place, one in enumerate(card["policies"]):
            waits = ", ".join(f"{what} {100 * share:.0f} %" for what, share in one["waits"] if share is not None and share >= 0.005)
            told.append((card["name"], one["policy"], duration(one["seconds"]), f"{one['seconds'] / base:.3f}" if base else "–", waits or "–", place == 0))
    return told


def headline(found):
    """On which card the step gains most by another policy, in a sentence."""
    best = None
    for card in found["cards"]:
        base = next((one["seconds"] for one in card["policies"] if one["policy"] == "fp64"), None)
        for one in card["policies"]:
            if base and one["policy"] != "fp64" and (best is None or base / one["seconds"] > best[0]):
                best = (base / one["seconds"], one["policy"], card["name"])
    return f"Predicted: a step in {best[1]} takes 1/{best[0]:.3g} of fp64's time on {best[2]}." if best else "Predicted times of a step on other cards."


def section(found):
    """The values of parts.Part."""
    return {"anchor": "on-cards", "title": "On other cards", "headline": headline(found), "template": "on_cards.html.j2", "figures": [],
            "values": {"rows": rows(found), "cards": found["cards"]}}
