#!/usr/bin/env python3
"""Draws the house from its include graph: rooms on their floors, wings inside, an arrow where a room includes another.

    tools/draw_house.py            writes docs/house.svg, which docs/architecture.md shows
    tools/draw_house.py --check    exits 1 where docs/house.svg is not the picture of this tree

The picture depends on the folders under include/kleene, on the headings of the rooms' READMEs, and on which room
includes which; not on single files. An arrow is left out where others imply it: operations use data, but by way of
kernels.
"""

import sys
from pathlib import Path, PurePosixPath

from check_floors import APPS_FLOOR, FLOORS, INCLUDE, blank_comments, list_files, resolve, room_of

PICTURE = "docs/house.svg"
WIDTH, LEFT, RIGHT, GAP = 960, 64, 936, 34
# Where a room stands on its floor. Arrows are vertical: they need a column that no floor in between covers.
PLACES = {"apps": (LEFT, RIGHT), "networks": (LEFT, 500), "grid": (540, 880), "operations": (LEFT, 800),
          "streaming": (LEFT, 470), "kernels": (128, 800), "gpu": (LEFT, 800), "interop": (LEFT, 420),
          "data": (LEFT, 470), "io": (540, RIGHT), "algebra": (LEFT, RIGHT)}
# Top to bottom.
ROWS = [["apps"], ["networks"], ["grid"], ["operations"], ["streaming"], ["kernels"], ["gpu"], ["interop"],
        ["data", "io"], ["algebra"]]
COLOURS = {"cpu": "#e3f1e5", "cuda": "#fdebd3"}  # of a machine's wings; others are white


def wings_of(room, files):
    """The folders of a room, as a tree of dicts."""
    tree = {}
    for name in files:
        parts = PurePosixPath(name).parts
        if parts[:3] != ("include", "kleene", room):
            continue
        at = tree
        for folder in parts[3:-1]:
            at = at.setdefault(folder, {})
    return tree


def includes_between_rooms(root, files):
    """Pairs (room, included room), those that others imply left out."""
    pairs = set()
    known = set(files)
    for name in files:
        here = room_of(name)
        if here is None or here[1] not in PLACES or not name.startswith(("include/", "apps/")):
            continue
        for line in blank_comments((root / name).read_text(encoding="utf-8", errors="replace")):
            match = INCLUDE.match(line)
            target = resolve(name, match.group(1), known) if match else None
            there = room_of(target) if target else None
            if there and there[1] in PLACES and there[1] != here[1]:
                pairs.add((here[1], there[1]))
    reach = set(pairs)  # Warshall: every room that is reached by two arrows or more
    longer = set()
    for k in PLACES:
        for i in PLACES:
            for j in PLACES:
                if (i, k) in reach and (k, j) in reach:
                    reach.add((i, j))
                    longer.add((i, j))
    return sorted(pairs - longer)


def role_of(root, room):
    """What the heading of the room's README says: `# data: what operations work on, and where`."""
    readme = root / ("apps/README.md" if room == "apps" else f"include/kleene/{room}/README.md")
    heading = readme.read_text(encoding="utf-8").split("\n")[0] if readme.exists() else ""
    return heading.split(":", 1)[1].split(";")[0].replace("`", "").strip() if ":" in heading else ""


class svg:
    def __init__(self):
        self.lines = []

    def box(self, x, y, width, height, fill, stroke="#7d8794", radius=6):
        self.lines.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}" '
                          f'stroke="{stroke}"/>')

    def text(self, x, y, text, kind="name", anchor="start"):
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        self.lines.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{text}</text>')

    def arrow(self, x0, y0, x1, y1):
        self.lines.append(f'<path d="M{x0} {y0} L{x1} {y1}" class="arrow" marker-end="url(#head)"/>')


def draw_wings(picture, wings, x, y, width, row=30):
    """Wings side by side, machines (folders of wings that have folders) one below the other; returns the height."""
    machines = [name for name in wings if wings[name] and name in COLOURS]
    plain = [name for name in sorted(wings) if name not in machines]
    top = y
    if plain:
        each = min(150, (width - 8 * (len(plain) - 1)) // len(plain))
        for n, name in enumerate(plain):
            fill = COLOURS.get(name, "#ffffff")
            picture.box(x + n * (each + 8), y, each, row, fill, "#b4bcc6", 4)
            picture.text(x + n * (each + 8) + each // 2, y + 20, name, "wing", "middle")
        y += row + 8
    for machine in sorted(machines):
        inner = sorted(wings[machine])
        deep = any(wings[machine][name] for name in inner)
        height = 46 if deep else row
        picture.text(x, y + 20, machine, "wing")
        wide = width - 60
        folders = {name: " · ".join(sorted(wings[machine][name])) for name in inner}
        shares = [max(1, len(folders[name]) / 10) for name in inner]
        unit = (wide - 8 * (len(inner) - 1)) / sum(shares)
        at = x + 60.0
        for name, share in zip(inner, shares):
            size = round(unit * share)
            picture.box(round(at), y, size, height, COLOURS[machine], "#b4bcc6", 4)
            picture.text(round(at) + size // 2, y + 20, name, "wing", "middle")
            if folders[name]:
                picture.text(round(at) + size // 2, y + 38, folders[name], "small", "middle")
            at += unit * share + 8
        y += height + 8
    return y - top


def draw(root):
    files = list_files(root)
    body = svg()
    boxes, y = {}, 24
    for row in ROWS:
        height = 0
        for room in row:
            x0, x1 = PLACES[room]
            inside = svg()
            used = draw_wings(inside, wings_of(room, files), x0 + 16, y + 40, x1 - x0 - 32)
            boxes[room] = [x0, y, x1, 44 + used if used else 44, inside]
            height = max(height, boxes[room][3])
        for room in row:
            x0, top, x1, _, inside = boxes[room]
            boxes[room][3] = height
            body.box(x0, top, x1 - x0, height, "#f4f6f8")
            body.text(x0 + 16, top + 27, "apps/cli" if room == "apps" else room, "name")
            body.text(x0 + 132, top + 27, role_of(root, room) or "the command line", "role")
            body.lines += inside.lines
        floor = {"apps": APPS_FLOOR}.get(row[0], FLOORS.get(row[0]))
        body.text(30, y + 27, str(floor), "floor", "middle")
        y += height + GAP
    taken = []
    for upper, lower in includes_between_rooms(root, files):
        a, b = boxes[upper], boxes[lower]
        if a[1] == b[1]:  # neighbours on one floor
            middle = a[1] + a[3] // 2
            body.arrow(*((a[0], middle, b[2] + 3, middle) if a[0] > b[0] else (a[2], middle, b[0] - 3, middle)))
            continue
        between = [box for box in boxes.values() if a[1] < box[1] < b[1]]
        free = [x for x in range(max(a[0], b[0]) + 28, min(a[2], b[2]) - 20, 4)
                if all(x < box[0] - 8 or x > box[2] + 8 for box in between)
                and all(abs(x - other) > 24 or bottom <= a[1] or top >= b[1] for other, top, bottom in taken)]
        if not free:
            raise SystemExit(f"draw_house.py: no column is free for the arrow {upper} -> {lower}: change PLACES")
        x = free[len(free) // 2]
        taken.append((x, a[1], b[1]))
        body.arrow(x, a[1] + a[3], x, b[1] - 3)
    caption = "An arrow: includes. Those that others imply are left out. Tests, benches and examples include any room."
    body.text(LEFT, y, caption, "small")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 20}" width="{WIDTH}" height="{y + 20}" '
        'role="img" aria-label="The rooms of the library on their floors, and which room includes which">',
        "<!-- drawn by tools/draw_house.py -->",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z" fill="#44505e"/></marker></defs>',
        "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#1d2733}.name{font-size:17px;font-weight:bold}"
        ".role{font-size:14px;fill:#4b5866}.wing{font-size:14px}.small{font-size:12px;fill:#4b5866}"
        ".floor{font-size:17px;fill:#7d8794}.arrow{stroke:#44505e;stroke-width:1.6;fill:none}</style>",
        f'<rect width="{WIDTH}" height="{y + 20}" fill="#ffffff"/>',
        *body.lines, "</svg>", ""])


def main():
    root = Path(__file__).resolve().parent.parent
    picture = root / PICTURE
    drawn = draw(root)
    if "--check" not in sys.argv[1:]:
        picture.write_text(drawn, encoding="utf-8")
        return
    if not picture.exists() or picture.read_text(encoding="utf-8") != drawn:
        print(f"{PICTURE} is not the picture of this tree any more: run `python3 tools/draw_house.py`, look at it, and "
              "commit it")
        sys.exit(1)


if __name__ == "__main__":
    main()
