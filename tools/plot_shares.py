#!/usr/bin/env python3
"""Draws a suite of `kleene bench --suite gpu --json` as a picture: each row's share of its roof, beside the best peer.

    tools/plot_shares.py RESULTS.json PICTURE.svg

A matrix.json beside RESULTS.json adds its rows below, beside their peers. So does a streaming.json: bytes a second as
shares of a copy's, items a second (which have no such roof) as shares of what is promised. The picture is made again
whenever the results are: it is what docs/performance.md shows.
"""

import html
import json
import sys
from pathlib import Path

ROW, LEFT, WIDTH, TOP = 22, 410, 460, 66
INK, GRID, OURS, PEER, MISSED = "#222", "#ddd", "#2a6fb0", "#e08a1e", "#b3412f"


def products(results):
    """Bars (name, share, share of the best peer or 0, met, rate as text)."""
    ours = lambda r: "cuBLAS" not in r["work"]  # rows of peers are drawn as marks on ours
    for r in results["rows"]:
        if r.get("roof_tops") and not r.get("failure") and ours(r):
            roof = r["roof_tops"]
            yield r["work"], r["tops"] / roof, r.get("peer_tops", 0) / roof, r.get("met", True), f'{r["tops"]:.1f} Tops'


def streams(results, unit, copy):
    """The same for the rows of the streaming suite in this unit; 100 % is `copy`, or with 0 what the row promises."""
    for r in results["rows"]:
        if r["unit"] != unit or r.get("failure"):
            continue
        beside = max((p["rate"] for p in r["peers"]), default=0)
        peer = max(beside, r.get("quoted_rate", 0))
        full = copy or max(r.get("at_least", 0), r.get("ratio_to_peer_at_least", 0) * beside)
        if full:
            text = f'{r["rate"]:.{0 if copy else 1}f} {unit}'
            yield r["work"], r["rate"] / full, peer / full, r.get("met", True), text


def ratios(results):
    """The same for the rows of the matrix suite; 100 % is the peer of the row."""
    for r in results["rows"]:
        if r.get("ratio_to_peer") and not r.get("failure"):
            yield r["work"], r["ratio_to_peer"], 1, r.get("met", True), f'{r["rate"]:,.1f} {r["unit"]}'


def panel(top, bars, full):
    """Grid and bars from y = top on; `full` is the share at the right edge."""
    bottom = top + ROW * len(bars) + 4
    for percent in range(0, round(100 * full) + 1, 20 if full < 2 else 50):
        x = LEFT + WIDTH * percent / 100 / full
        yield f'<line x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{GRID}"/>'
        yield f'<text x="{x:.1f}" y="{top - 10}" text-anchor="middle" fill="#666">{percent} %</text>'
    for n, (work, share, peer, met, rate) in enumerate(bars):
        y = top + ROW * n
        width = WIDTH * min(share, full) / full
        yield f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{html.escape(work)}</text>'
        yield f'<rect x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="{ROW - 7}" fill="{OURS if met else MISSED}"/>'
        if peer:
            x = LEFT + WIDTH * min(peer, full) / full
            yield f'<rect x="{x - 1.5:.1f}" y="{y + 1}" width="3" height="{ROW - 3}" fill="{PEER}"/>'
        yield f'<text x="{LEFT + WIDTH + 8}" y="{y + 14}">{rate}</text>'


def panels(results, matrix, streaming):
    """(title, bars, share at the right edge) of each."""
    yield f'Share of the instruction roof, {results["device"]}', list(products(results)), 1.1
    if matrix:
        others = "f32 split: our f32; epilogues: the plain product; tensors: a copy, gemm or one matrix"
        yield f"Tensor cores: beside cuBLASLt ({others})", list(ratios(matrix)), 1.25
    if streaming:
        copy = streaming["copy_gb_per_s"]
        yield f"Streaming: share of a copy's {copy:.0f} GB/s", list(streams(streaming, "GB/s", copy)), 1.1
        yield "Streaming: share of what is promised", list(streams(streaming, "G items/s", 0)), 1.5


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, picture = Path(sys.argv[1]), Path(sys.argv[2])

    def beside(name):
        file = source.with_name(name)
        return json.loads(file.read_text()) if file.exists() else None

    square, below, best = 'y="32" width="12" height="12"', "Kleene, below its own bar", "the best peer on an H200"
    legend = [
        f'<rect x="12" {square} fill="{OURS}"/><text x="30" y="42">Kleene</text>',
        f'<rect x="90" {square} fill="{MISSED}"/><text x="108" y="42">{below}</text>',
        f'<rect x="276" y="30" width="3" height="16" fill="{PEER}"/><text x="286" y="42">{best}</text>',
    ]
    out, top = [], 0
    for title, bars, full in panels(json.loads(source.read_text()), beside("matrix.json"), beside("streaming.json")):
        out.append(f'<text x="12" y="{top + 22}" font-size="15">{html.escape(title, quote=False)}</text>')
        out += legend
        out += panel(top + TOP, bars, full)
        legend, top = [], top + TOP + ROW * len(bars) + 16
    head = f'viewBox="0 0 {LEFT + WIDTH + 110} {top}" font-family="sans-serif" font-size="12" fill="{INK}"'
    frame = [f'<svg xmlns="http://www.w3.org/2000/svg" {head}>', '<rect width="100%" height="100%" fill="white"/>']
    picture.write_text("\n".join(frame + out) + "\n</svg>\n")


if __name__ == "__main__":
    main()
