#!/usr/bin/env python3
"""Times the benchmark programs on Tagflow and its peers, side by side, and prints one table.

    ./bazelw run --config=opt //bench:compare -- [--programs A,B]
        [--peers tensorflow,jax,onnxruntime,cpp,reference,engine-native,engine-interpreted,engine-fresh]
        [--threads N] [--passes N] [--tsv FILE]

Each pass asks every peer for every program in turn, so that what else the machine does falls on all
of them; the least time over the passes counts. The reference and "cpp", the programs in plain C++,
are our own; the other peers are programs of the virtual environment in $TAGFLOW_PEERS (.peers in the
checkout), which tools/make_peers.sh makes; what is not there is named and skipped. What is measured:
docs/benchmarks.md.
"""

import argparse
import os
import subprocess
import sys

from compare_table import best, read_rows, table, tsv

PROGRAMS = (
    "run0 scalar loop4 pingpong condwhile nested200x100 nested20x20x50 fizzbuzz collatz1000 mandel64 vec100"
    " vec100k softmax100 slices10k items100x100 changes10k mm64 mm512 lstm_b1_fwd lstm_b64_fwd lstm_b1_grad lstm_b64_grad"
    " gradscalar2000 gradvec2000 gradnested50x40 gradcond2000 pmap64_p1 pmap64_p10 pmap64_p32 wide10k chain10k dead5k live5k"
    " deadloop100x100 deadloop100x1000 setup100k tensorarray10k stack10k").split()

OWN_PEERS = ("cpp", "reference", "engine-native", "engine-interpreted", "engine-fresh")
PEERS = ("tensorflow", "jax", "onnxruntime", *OWN_PEERS)

# Bazel starts this through a link beside which the peers are not.
_HERE = os.path.dirname(os.path.realpath(__file__))


def checkout():
    return os.environ.get("BUILD_WORKSPACE_DIRECTORY") or os.path.dirname(
        os.path.dirname(os.path.realpath(__file__)))


def command(peer, options):
    """How a peer is started, or None where it is not installed."""
    measured = ["--threads", str(options.threads), "--runs", str(options.runs)]
    if peer in ("engine", *OWN_PEERS):
        return [options.binary, "--peer", peer, *measured]
    peers = os.environ.get("TAGFLOW_PEERS") or os.path.join(checkout(), ".peers")
    python = os.path.join(peers, "bin", "python")
    script = os.path.join(_HERE, "peers", f"{peer}_programs.py")
    return [python, script, *measured] if has_module(python, peer) else None


def has_module(python, module):
    """Whether that Python is there, and the module in it."""
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return os.path.exists(python) and subprocess.run([python, "-c", look], check=False).returncode == 0


class Peer:
    """A process that times programs, one per line it is given."""

    def __init__(self, name, arguments):
        self.name = name
        self.ended_in = None  # the program in which it ended before its time
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def measure(self, program):
        """The measurements of a program; none where the peer has not got it, or has ended."""
        if self.ended_in:
            return []
        lines = []
        try:
            self.process.stdin.write(program + "\n")
            self.process.stdin.flush()
            for line in iter(self.process.stdout.readline, "\n"):
                if not line:
                    raise BrokenPipeError
                lines.append(line)
        except BrokenPipeError:
            self.ended_in = program
            print(f"FAILED: {self.name} ended in {program}: its rows are as far as it came",
                  file=sys.stderr)
        return read_rows(lines)

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def start(names, options):
    peers = {}
    for name in names:
        arguments = command(name, options)
        if arguments is None:
            print(f"SKIPPED: {name}: not installed (tools/make_peers.sh)", file=sys.stderr)
        else:
            peers[name] = Peer(name, arguments)
    return peers


def measure(peers, options):
    found = []
    for number in range(options.passes):
        for program in options.programs.split(","):
            print(f"pass {number + 1} of {options.passes}: {program}", file=sys.stderr)
            for peer in peers.values():
                found += peer.measure(program)
    return best(found)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", help="run_programs")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--peers", default="tensorflow",
                        help=f"beside the engine, with commas between: {', '.join(PEERS)}")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--runs", type=int, default=2, help="of a program in each pass, at least")
    parser.add_argument("--tsv", help="a file for the measurements as tab-separated values")
    options = parser.parse_args()
    unknown = set(options.programs.split(",")) - set(PROGRAMS)
    if unknown:
        parser.error(f"no program is called {', '.join(sorted(unknown))}: {', '.join(PROGRAMS)}")
    unknown = set(filter(None, options.peers.split(","))) - set(PEERS)
    if unknown:
        parser.error(f"no peer is called {', '.join(sorted(unknown))}: {', '.join(PEERS)}")
    options.binary = os.path.abspath(options.binary)
    return options


def main():
    options = parse_arguments()
    peers = start(["engine", *filter(None, options.peers.split(","))], options)
    found = measure(peers, options)
    for peer in peers.values():
        peer.close()
    print(table(found, list(peers)))
    if options.tsv:
        path = os.path.join(os.environ.get("BUILD_WORKING_DIRECTORY", ""), options.tsv)
        with open(path, "w", encoding="utf-8") as file:
            file.write(tsv(found))
    return 1 if any(peer.ended_in for peer in peers.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
