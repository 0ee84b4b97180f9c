"""Measurements of programs on peers, and the table of them."""

from typing import NamedTuple

# How far check values may be apart, relative: sums of floats are taken in any order, and the 64x64
# product is chaotic.
_TOLERANCE = {"mm64": 0.05}
_USUAL_TOLERANCE = 1e-3


class Measurement(NamedTuple):
    program: str
    peer: str
    threads: int
    ns_per_unit: float
    check: str  # numbers with blanks between; "": there is none


def read_rows(lines):
    """Measurements of lines `program peer threads ns_per_unit check`, with tabs between."""
    fields = (line.rstrip("\n").split("\t") for line in lines)
    return [Measurement(f[0], f[1], int(f[2]), float(f[3]), f[4]) for f in fields]


def best(measurements):
    """The least of each program and peer, in the order in which they first came."""
    least = {}
    for one in measurements:
        key = (one.program, one.peer)
        if key not in least or one.ns_per_unit < least[key].ns_per_unit:
            least[key] = one
    return list(least.values())


def tsv(measurements):
    rows = [Measurement._fields, *measurements]
    return "".join("\t".join(str(field) for field in row) + "\n" for row in rows)


def agree(program, check, other):
    """Whether two check values are one, but for rounding."""
    tolerance = _TOLERANCE.get(program, _USUAL_TOLERANCE)
    numbers, others = ([float(text) for text in c.split()] for c in (check, other))
    return len(numbers) == len(others) and all(
        abs(a - b) <= tolerance * max(abs(a), abs(b)) for a, b in zip(numbers, others))


def dead_cost(measurements, peer):
    """ns per op of a dead branch beyond its first 100 ops; None where it was not measured."""
    found = {m.program: m.ns_per_unit for m in measurements if m.peer == peer}
    if not {"deadloop100x100", "deadloop100x1000"} <= set(found):
        return None
    return (found["deadloop100x1000"] * 100_000 - found["deadloop100x100"] * 10_000) / 90_000


def worst_beginning(measurements):
    """The program whose fresh sessions lose most against interpreted ones, and how many times as long
    they take; None where neither was measured."""
    by_key = {(m.program, m.peer): m.ns_per_unit for m in measurements}
    beside = "engine-fresh-interpreted"
    ratios = [(fresh / by_key[program, beside], program) for (program, peer), fresh in by_key.items()
              if peer == "engine-fresh" and (program, beside) in by_key]
    return max(ratios) if ratios else None


def table(measurements, peers):
    """A line per program: ns per unit of each peer, the peers after the first as multiples of it."""
    by_key = {(m.program, m.peer): m for m in measurements}
    header = ["program", *peers, *(f"{peer}/{peers[0]}" for peer in peers[1:]), "check"]
    rows = [header]
    notes = []
    for program in dict.fromkeys(m.program for m in measurements):
        row = [by_key.get((program, peer)) for peer in peers]
        ours = row[0]
        ratios = [f"{one.ns_per_unit / ours.ns_per_unit:.2f}" if ours and one else "-"
                  for one in row[1:]]
        checks = [one.check for one in row if one]
        times = [f"{one.ns_per_unit:,.4g}" if one else "-" for one in row]
        rows.append([program, *times, *ratios, checks[0]])
        notes += [f"{program}: {one.peer} gives {one.check}, {ours.peer} {ours.check}"
                  for one in row[1:] if ours and one and not agree(program, ours.check, one.check)]
    for peer in peers:
        cost = dead_cost(measurements, peer)
        if cost is not None:
            notes.append(f"{peer}: {cost:.4f} ns per dead op beyond the first 100 of a branch")
    worst = worst_beginning(measurements)
    if worst is not None:
        notes.append(f"a fresh session takes at most {worst[0]:.2f} times as long as one that only"
                     f" interprets ({worst[1]})")
    return "\n".join([*_aligned(rows), "(ns per unit; the least of all runs)", *notes])


def _aligned(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        yield "  ".join([*cells, row[-1]]).rstrip()
