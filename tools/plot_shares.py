#!/usr/bin/env python3
"""Draws a suite of `kleene bench --suite gpu --json` as a picture: each row's share of its roof, beside the best peer.

    tools/plot_shares.py RESULTS.json PICTURE.svg

The picture is made again whenever the results are: it is what docs/performance.md shows.
"""

import html
import json
import sys
from pathlib import Path

ROW, LEFT, WIDTH, TOP = 22, 330, 460, 66
INK, GRID, OURS, PEER, MISSED = "#222", "#ddd", "#2a6fb0", "#e08a1e", "#b3412f"


def main():
    results, picture = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    ours = lambda r: "cuBLAS" not in r["work"]  # rows of peers are drawn as marks on ours
    rows = [r for r in results["rows"] if r.get("roof_tops") and not r.get("failure") and ours(r)]
    height = TOP + ROW * len(rows) + 16
    full = 1.1  # of the roof, at the right edge
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 110} {height}" font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="100%" height="100%" fill="white"/>',
        f'<text x="12" y="22" font-size="15">Share of the instruction roof, {html.escape(results["device"])}</text>',
        f'<rect x="12" y="32" width="12" height="12" fill="{OURS}"/><text x="30" y="42">Kleene</text>',
        f'<rect x="90" y="32" width="12" height="12" fill="{MISSED}"/><text x="108" y="42">Kleene, below its own bar</text>',
        f'<rect x="276" y="30" width="3" height="16" fill="{PEER}"/><text x="286" y="42">the best peer on an H200</text>',
    ]
    for tenth in range(0, 12, 2):
        x = LEFT + WIDTH * tenth / 10 / full
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 12}" stroke="{GRID}"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP - 10}" text-anchor="middle" fill="#666">{tenth * 10} %</text>')
    for n, row in enumerate(rows):
        y = TOP + ROW * n
        share = min(row["tops"] / row["roof_tops"], full)
        color = OURS if row.get("met", True) else MISSED
        out.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{html.escape(row["work"])}</text>')
        out.append(f'<rect x="{LEFT}" y="{y + 3}" width="{WIDTH * share / full:.1f}" height="{ROW - 7}" fill="{color}"/>')
        if row.get("peer_tops"):
            x = LEFT + WIDTH * min(row["peer_tops"] / row["roof_tops"], full) / full
            out.append(f'<rect x="{x - 1.5:.1f}" y="{y + 1}" width="3" height="{ROW - 3}" fill="{PEER}"/>')
        out.append(f'<text x="{LEFT + WIDTH + 8}" y="{y + 14}">{row["tops"]:.1f} Tops</text>')
    picture.write_text("\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    main()
