#!/usr/bin/env python3
"""Draws one step of a closure on two GPUs, from a real run: docs/timeline.svg, which docs/scale.md shows.

    tools/draw_timeline.py                   draws bench/results/h200/timeline.tsv
    tools/draw_timeline.py --check           exits 1 where the picture is not that of the file
    tools/draw_timeline.py --cut TRACE       writes that file anew, of a run that tools/trace_gpu.cpp has recorded: of
                                             kleene bench --suite scale --only "closure min_plus f32, n = 32768, 2 GPUs"

A line of the file: device, stream, begin and end in ns, bytes of a copy (0: a kernel), name.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "bench/results/h200/timeline.tsv"
PICTURE = ROOT / "docs/timeline.svg"
FROM_OTHER = "copy from another device"
BEFORE, BEHIND = 6e6, 42e6  # ns of the picture on both sides of the panel in the middle of the last run
COLOURS = {"products, in bulk": "#9ecae1", "products, ahead": "#3182bd", "the diagonal block": "#d94801",
           "copies on the GPU": "#bdbdbd", "panel to the other GPU": "#31a354"}
LEFT, WIDTH, LANE, GAP, TOP = 96, 860, 30, 8, 40


def rows_of(text):
    for line in text.splitlines():
        device, stream, begin, end, size, name = line.split("\t")
        yield int(device), int(stream), int(begin), int(end), int(size), name


def cut(path):
    """The rows around one panel, on the streams that are busy then, from zero on."""
    rows = list(rows_of(path.read_text(encoding="utf-8")))
    panels = sorted(row[2] for row in rows if row[5] == FROM_OTHER)
    last_run = [begin for begin in panels if begin > panels[-1] - 1.2e9]  # ns: it takes 1.1 s
    start = last_run[len(last_run) // 2 - 1] - BEFORE
    seen = [row for row in rows if row[3] > start and row[2] < start + BEFORE + BEHIND]
    with open(DATA, "w", encoding="utf-8") as file:
        for device, stream, begin, end, size, name in sorted(seen, key=lambda row: row[2]):
            kernel = re.search(r"6kleene7kernels4cuda(\d+)(\w+)", name)
            name = kernel[2][:int(kernel[1])] if kernel else name
            file.write(f"{device}\t{stream}\t{begin - int(start)}\t{end - int(start)}\t{size}\t{name}\n")


def lanes_of(rows):
    """(device, stream) -> lane: of each device the bulk, the way ahead, and what comes from the other."""
    busy = {}
    for device, stream, begin, end, _, name in rows:
        if name != FROM_OTHER:
            busy.setdefault(device, {}).setdefault(stream, 0)
            busy[device][stream] += end - begin
    lanes = {}
    for device, streams in busy.items():
        order = sorted(streams, key=streams.get, reverse=True)
        lanes.update({(device, stream): (device, min(place, 1)) for place, stream in enumerate(order)})
    return lanes


def kind_of(lane, name):
    if name == FROM_OTHER:
        return "panel to the other GPU"
    if name == "copy":
        return "copies on the GPU"
    if lane == 0:
        return "products, in bulk"
    return "the diagonal block" if "close" in name else "products, ahead"


def draw(rows):
    lanes, end = lanes_of(rows), BEFORE + BEHIND
    height, width = TOP + 2 * (2 * (LANE + GAP) + 14) + 20, LEFT + WIDTH + 30
    scale = WIDTH / end
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="#fff"/>']
    at = LEFT
    for words, colour in COLOURS.items():
        out.append(f'<rect x="{at}" y="10" width="12" height="12" fill="{colour}"/>'
                   f'<text x="{at + 17}" y="20">{words}</text>')
        at += 40 + 6.6 * len(words)

    def y_of(device, lane):
        return TOP + device * (2 * (LANE + GAP) + 14) + lane * (LANE + GAP)

    for device in (0, 1):
        for lane, words in enumerate(("bulk", "ahead")):
            y = y_of(device, lane)
            out.append(f'<text x="{LEFT - 8}" y="{y + 19}" text-anchor="end">GPU {device}, {words}</text>'
                       f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{LANE}" fill="#f4f4f4"/>')
    for device, stream, begin, finish, _, name in rows:
        lane = 1 if name == FROM_OTHER else lanes[device, stream][1]
        first, last = max(begin, 0), min(finish, end)
        if last - first >= 4e3:
            out.append(f'<rect x="{LEFT + first * scale:.1f}" y="{y_of(device, lane)}" '
                       f'width="{(last - first) * scale:.1f}" height="{LANE}" fill="{COLOURS[kind_of(lane, name)]}"/>')
    axis = y_of(1, 1) + LANE + 14
    for ms in range(0, int(end / 1e6) + 1, 6):
        x = LEFT + ms * 1e6 * scale
        out.append(f'<path d="M{x:.1f} {TOP}V{axis}" stroke="#888" stroke-width="0.4"/>'
                   f'<text x="{x:.1f}" y="{axis + 15}" text-anchor="middle">{ms} ms</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cut", metavar="TRACE", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.cut:
        cut(asked.cut)
    picture = draw(list(rows_of(DATA.read_text(encoding="utf-8"))))
    if asked.check:
        if PICTURE.read_text(encoding="utf-8") != picture:
            sys.exit(f"{PICTURE.name} is not the picture of {DATA.name}: run tools/draw_timeline.py")
    else:
        PICTURE.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
