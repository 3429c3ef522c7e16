"""The variants of a sheet: places in its source that have several texts, of which a release has one.

A place begins with // BEGIN VARIANT name (in a text <!-- BEGIN VARIANT name -->) and its first text; the others are
a comment, /* OR … OR … END VARIANT */ (in a text <!-- OR … OR … END VARIANT -->). So a source runs as it stands, and
is the sheet of the first texts. Places of one name take the text of the same number.
"""

import hashlib
import re

# On lines of their own, or, with /* BEGIN VARIANT name */, within one.
_LINES = r"^[ \t]*(?://|<!--) BEGIN VARIANT (\w+)(?: -->)?\n(.*?)^[ \t]*(?:/\*|<!--) OR\n(.*?)^[ \t]*END VARIANT (?:\*/|-->)(?:\n|\Z)"
_WITHIN = r"(?:/\*|<!--) BEGIN VARIANT (\w+) (?:\*/|-->)(.*?)(?:/\*|<!--) OR (.*?) END VARIANT (?:\*/|-->)"
PLACE = re.compile(rf"(?ms){_LINES}|{_WITHIN}")


class Fault(Exception):
    """What is wrong with the variants of a sheet: where, and what helps."""


def where(i, cell):
    """A cell as its author finds it: its number, and its name if it has one."""
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return f"cell {i + 1}" + (f" ({name})" if name else "")


def texts(place):
    """The name of a place, and its texts in their order."""
    if place[1]:
        return place[1], [place[2], *re.split(r"(?m)^[ \t]*OR\n", place[3])]
    return place[4], [place[5], *place[6].split(" OR ")]


def read(nb, file):
    """How many texts the places of each name have. Raises Fault where they do not fit."""
    found = {}
    for i, cell in enumerate(nb.cells):
        for place in PLACE.finditer(cell.source):
            name, several = texts(place)
            found.setdefault(name, []).append((where(i, cell), len(several)))
        if left := re.search(r".*(?:BEGIN|END) VARIANT.*", PLACE.sub("", cell.source)):
            raise Fault(
                f"{file}, {where(i, cell)}: the line {left[0].strip()!r} is half a variant: it begins with // BEGIN VARIANT name "
                "and ends with /* OR … END VARIANT */, in a text with <!-- and --> in their place; none is within another"
            )
    for name, places in found.items():
        first, number = places[0]
        if len(places) == 1:
            raise Fault(
                f"{file}, {first}: the variant {name} has this place alone: what asks and what answers or checks come "
                "in pairs, so use the name in both, or correct it"
            )
        for place, n in places:
            if n != number:
                raise Fault(f"{file}, {place}: the variant {name} has {n} texts here and {number} in {first}: write those that are missing")
    return {name: places[0][1] for name, places in found.items()}


def choose(nb, numbers):
    """Leaves in nb, of each place, the text of its name's number, from 0 on."""

    def text(place):
        name, several = texts(place)
        chosen = several[numbers.get(name, 0)]
        return chosen if place[0].endswith("\n") else chosen.removesuffix("\n")

    for cell in nb.cells:
        cell.source = PLACE.sub(text, cell.source)
    return nb


def numbers(secret, sheet, counts):
    """The number of each name: by a secret one that is not the first, without one the first."""

    def number(name, n):
        digest = hashlib.sha256("\0".join([secret, sheet, name]).encode()).digest()
        return 1 + int.from_bytes(digest, "big") % (n - 1)

    return {name: number(name, n) if secret else 0 for name, n in counts.items()}


def told(others):
    """In words what a sheet has where not the first."""
    return ", ".join(f"{name} {n}" for name, n in sorted(others.items())) or "the first of each"
