#!/usr/bin/env python3
"""Prints the rows of a suite's JSON (`kleene bench --suite gpu|matrix|bits|streaming|io|networks --out RESULTS.json`),
or of bench/peers/optima.py or orders.py, as the Markdown table that docs/performance.md shows. Bold: below the row's
own bar.

    tools/table_of_results.py RESULTS.json
"""

import json
import sys
from pathlib import Path


def bold(text, met):
    return text if met else f"**{text}**"


def seconds(value):
    for unit, scale, digits in (("us", 1e6, 1), ("ms", 1e3, 2)):
        if value * scale < 1000:
            return f"{value * scale:.{digits}f} {unit}"
    return f"{value:.2f} s"


def number(value):
    return f"{value:,.0f}" if value >= 300 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def products(results):
    yield "| work | Tops | pairs per clock and SM | share of roof | best peer | at least | aim |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for r in results["rows"]:
        roof = f'{r["share_of_roof"]:.0%}'.replace("%", " %") if r.get("share_of_roof") else ""
        quoted = ", quoted" if r.get("peer_is_quoted") else ""
        peer = f'{r["peer_tops"]:.1f} ({r["peer"]}{quoted})' if r.get("peer_tops") else ""
        bar = lambda key: f"{r[key]:g}" if r.get(key) else ""
        yield " | ".join([f'| {r["work"]}', bold(f'{r["tops"]:.1f}', r.get("met", True)), f'{r["pairs_per_clock"]:.1f}',
                          roof, peer, f'{r["at_least"]:.1f}' if r.get("at_least") else "", bar("aim")]) + " |"
    yield ""
    yield "| instructions | Tops | pairs per clock and SM |"
    yield "|---|--:|--:|"
    for r in results["roofs"]:
        yield f'| {r["instructions"]} | {r["tops"]:.1f} | {r["pairs_per_clock"]:.1f} |'


def best_peer(row):
    """Name and rate of the best peer known: of the run, or quoted."""
    known = [(p["name"], p["rate"]) for p in row.get("peers", [])]
    if "quoted_rate" in row:
        known.append((row["quoted_peer"] + ", quoted", row["quoted_rate"]))
    return max(known, key=lambda peer: peer[1], default=None)


def streams(results):
    rows = results["rows"]
    copy, peers = "share_of_copy" in rows[0], any(best_peer(r) for r in rows)
    heads = ["work", "time", "rate"] + ["of a copy"] * copy + ["best peer", "ratio"] * peers + ["at least"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---" + "|--:" * (len(heads) - 1) + "|"
    for r in rows:
        if r.get("failure"):
            yield f'| {r["work"]} | {r["failure"]}' + " |" * (len(heads) - 1)
            continue
        unit = r["unit"].replace(" items", "")
        best = best_peer(r)
        least = [number(r["at_least"])] if r.get("at_least") else []
        if r.get("ratio_to_peer_at_least") and r.get("peers"):
            least.append(f'{r["ratio_to_peer_at_least"]:g} of it')
        time = seconds(r["seconds"]) if unit != "x peer" else ""  # a mean of ratios has none
        cells = [r["work"], time, bold(f'{number(r["rate"])} {unit}', r.get("met", True))]
        if copy:
            cells.append(f'{r["share_of_copy"]:.0%}'.replace("%", " %") if unit == "GB/s" else "")
        if peers:
            cells += [f"{number(best[1])} ({best[0]})", f'{r["rate"] / best[1]:.2f}'] if best else ["", ""]
        yield "| " + " | ".join(cells + [", ".join(least)]) + " |"


def readers(results):
    yield "| file | content | MB/s a core | best of others | all cores | of them | best of others | asked |"
    yield "|---|--:|--:|--:|--:|--:|--:|---|"
    for r in results["rows"]:
        asked = [f'{r["mb_per_second_at_least"]:.0f} MB/s'] if r.get("mb_per_second_at_least") else []
        asked += [f'{100 * r["share_at_least"]:.0f} %'] if r.get("share_at_least") else []
        asked += [seconds(r["seconds_at_most"])] if r.get("seconds_at_most") else []
        peers = r.get("peers", [])
        one = max(peers, key=lambda p: p["mb_per_second_and_core"], default=None)
        every = min(peers, key=lambda p: p["seconds"], default=None)
        yield " | ".join([
            f'| {r["work"]}', f'{r["bytes"] / 1e6:.0f} MB',
            bold(number(r["mb_per_second_and_core"]), r.get("met", True)),
            f'{number(one["mb_per_second_and_core"])} ({one["name"]})' if one else "", seconds(r["seconds"]),
            f'{100 * r["share_of_cores"]:.0f} %', f'{seconds(every["seconds"])} ({every["name"]})' if every else "",
            ", ".join(asked)]) + " |"


def optima(results):
    yield "| work | vertices | Kleene | of it the order | best of others | times |"
    yield "|---|--:|--:|--:|--:|--:|"
    for r in results["rows"]:
        order = seconds(r["kleene_order_seconds"]) if "kleene_order_seconds" in r else ""
        peer, times = f'{seconds(r["peer_seconds"])} ({r["peer"]})', f'{r["peer_seconds"] / r["kleene_seconds"]:.2g}'
        if not r["peer_proved"]:
            peer = f'not proved in {r["peer_seconds"]:.0f} s: {r["peer_value"]} to {r["peer_bound"]} ({r["peer"]})'
            times = f"> {times}"
        best = f', best {r["value"]}' if "value" in r else ""
        yield f'| {r["work"]}{best} | {r["vertices"]:,} | {seconds(r["kleene_seconds"])} | {order} | {peer} | {times} |'


def networks(results):
    yield "| work | log2 of products | largest tensor | slices | order | contraction | times the value's | at most |"
    yield "|---|--:|--:|--:|--:|--:|--:|---|"
    for r in results["rows"]:
        asked = [seconds(r["seconds_contract_at_most"])] if r.get("seconds_contract_at_most") else []
        asked += [f'{seconds(r["seconds_at_most"])} with the order'] if r.get("seconds_at_most") else []
        asked += [f'{r["times_at_most"]:g} times'] if r.get("times_at_most") else []
        times = f'{r["times_the_value"]:.2f}' if "times_the_value" in r else ""
        yield " | ".join([f'| {r["work"]}', f'{r["log2_operations"]:.1f}', f'2^{r["log2_largest"]:.0f}',
                          f'{r["slices"]:.0f}', seconds(r["seconds_order"]),
                          bold(seconds(r["seconds_contract"]), r.get("met", True)), times, ", ".join(asked)]) + " |"


def orders(results):
    yield "| network | tensors | log2 of operations | cotengra's | largest tensor | cotengra's |"
    yield "|---|--:|--:|--:|--:|--:|"
    for r in results["rows"]:
        if "peer_failed" in r:
            theirs = [r["peer_failed"], ""]
        else:
            theirs = [f'{r["peer_log2_operations"]:.1f}', f'2^{r["peer_log2_largest"]}']
        ours = bold(f'{r["log2_operations"]:.1f}', r.get("met", True))
        yield f'| {r["network"]} | {r["tensors"]:,} | {ours} | {theirs[0]} | 2^{r["log2_largest"]} | {theirs[1]} |'


TABLES = {"gpu": products, "io": readers, "optima": optima, "networks": networks, "orders": orders}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    results = json.loads(Path(sys.argv[1]).read_text())
    print("\n".join(TABLES.get(results["suite"], streams)(results)))


if __name__ == "__main__":
    main()
