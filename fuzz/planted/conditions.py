#!/usr/bin/env python3
"""Says which conditions in the sources fuzzing leaves on one side, and forces those it does not.

    fuzz/planted/conditions.py COPY [--seconds 60] [--jobs 1] [--force N] [--seed S]

COPY is a folder that becomes a clone of this checkout's HEAD (or is one). There every condition of
an `if`, a `while` and of what a function returns as a sum or product of truths is taken apart at
`&&` and `||`, and each part is wrapped so that it notes whether it was true and false. The command
then fuzzes for some seconds as users call it, once with each of the two engines, and what only went
one way is printed:

    always false  optimized/straight/branches.cc:120  part

What is on one side is never tested on the other: either nothing can reach it, or the generators
lack a feature. With --force, N of the parts that went both ways are drawn, and each is held at one
side and the other while `tagflow fuzz` has --seconds to find it. What survives makes no difference
(a short cut, say), or is another thing that fuzzing does not see. One binary serves all:
TAGFLOW_FORCE says which part is held. The last line counts.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import measure

UNDER = ["reference", "optimized", "transform", "graph"]
LEFT_OUT = re.compile(r"_test\.|/test_|trace|observe|/tape/|/io/|_text|near_names|/builder/")
KEYWORD = re.compile(r"\b(?P<word>if|while|return)\b\s*(?P<constexpr>constexpr\b)?")
LITERAL = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/"  # comments
    r'|R"\([\s\S]*?\)"|"(?:\\.|[^"\\\n])*"'  # texts
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")  # letters, and no separators of digits
DECLARES = re.compile(r"[^=!<>+\-*/|&^]=[^=]")
GUARD = "TAGFLOW_CONDITION"
DECLARATION = f"""#ifndef {GUARD}
#define {GUARD}
extern "C" bool tagflow_condition(int number, bool is);
constexpr bool TagflowPart(int number, bool is) {{
  if (__builtin_is_constant_evaluated()) return is;
  return tagflow_condition(number, is);
}}
#endif
"""
DEFINITION = """
#include <fcntl.h>
#include <sys/mman.h>
#include <cstdlib>
namespace {
constexpr int kParts = 1 << 20;
unsigned char no_sides[kParts];
unsigned char* OpenSides() {
  const char* path = std::getenv("TAGFLOW_SIDES");
  if (path == nullptr) return no_sides;
  const int file = open(path, O_RDWR);
  void* const sides = mmap(nullptr, kParts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return static_cast<unsigned char*>(sides);
}
int ReadForced() {
  const char* forced = std::getenv("TAGFLOW_FORCE");
  return forced != nullptr ? std::atoi(forced) : -1;
}
}  // namespace
extern "C" bool tagflow_condition(int number, bool is) {
  static unsigned char* const sides = OpenSides();
  static const int forced = ReadForced();
  if (forced >= 0) return number == forced / 2 ? forced % 2 == 1 : is;
  const unsigned char side = is ? 2 : 1;
  if ((sides[number] & side) == 0) __atomic_fetch_or(&sides[number], side, __ATOMIC_RELAXED);
  return is;
}
"""
PARTS = 1 << 20
TRUE, FALSE = 2, 1


def without_text(text):
    """The same length, with comments and literals blanked, so that only code is looked at."""
    def blank(found):
        is_comment = found.group().startswith(("//", "/*"))
        return re.sub(r"[^\n]", " " if is_comment else "_", found.group())
    return LITERAL.sub(blank, text)


def end_of(code, begin, stops):
    """Where the expression from `begin` ends: at one of `stops` outside of all brackets."""
    depth = 0
    for at in range(begin, len(code)):
        if depth == 0 and code[at] in stops:
            return at
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth < 0:
            return None
    return None


def split(code, begin, end):
    """Spans between `&&` and `||` outside of all brackets."""
    spans, depth, start, at = [], 0, begin, begin
    while at < end:
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0 and code[at:at + 2] in ("&&", "||"):
            spans.append((start, at))
            start = at = at + 2
            continue
        at += 1
    spans.append((start, end))
    return spans


def outside_brackets(code):
    text, depth = [], 0
    for letter in code:
        depth -= letter in ")]}"
        if depth == 0:
            text.append(letter)
        depth += letter in "([{"
    return "".join(text)


def parts_of(text):
    """Spans of the parts of all conditions of a file, in order, none within another."""
    code = without_text(text)
    parts = []
    for found in KEYWORD.finditer(code):
        begin = found.end()
        if found["constexpr"]:
            continue
        if found["word"] == "return":
            end = end_of(code, begin, ";")
        else:
            if code[begin:begin + 1] != "(":
                continue
            begin += 1
            end = end_of(code, begin, ")")
        if end is None or (parts and begin < parts[-1][1]):
            continue
        outer = outside_brackets(code[begin:end])
        if ";" in outer or "?" in outer or DECLARES.search(outer) or "co_" in outer:
            continue
        spans = split(code, begin, end)
        if found["word"] == "return" and len(spans) == 1:
            continue
        for start, stop in spans:
            while start < stop and code[start].isspace():
                start += 1
            while stop > start and code[stop - 1].isspace():
                stop -= 1
            if start < stop:
                parts.append((start, stop))
    return parts


def instrument(sources):
    """Wraps every part of {file: text}; returns what each number stands for."""
    meanings = []
    for file in sorted(sources):
        text, done, at = sources[file], [], 0
        for start, stop in parts_of(text):
            part = text[start:stop]
            done += [text[at:start], f"TagflowPart({len(meanings)}, static_cast<bool>({part}))"]
            line = text.count("\n", 0, start) + 1
            meanings.append({"number": len(meanings), "file": file, "line": line,
                             "part": " ".join(part.split())})
            at = stop
        sources[file] = measure.after_includes("".join(done) + text[at:], DECLARATION)
    return meanings


def files_under(copy, folders):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=copy, check=True,
                            capture_output=True, text=True).stdout
    is_meant = re.compile(r"\.(cc|h)$")
    return [file for file in listed.split() if is_meant.search(file) and not LEFT_OUT.search(file)]


def build(copy, folders, how):
    """how: the module that instruments"""
    if not (copy / ".git").exists():
        subprocess.run(["git", "clone", "-q", measure.HERE.parent.parent, copy], check=True)
    subprocess.run(["git", "checkout", "-q", "."], cwd=copy, check=True)
    sources = {file: (copy / file).read_text() for file in files_under(copy, folders)}
    meanings = how.instrument(sources)
    for file, text in sources.items():
        if (copy / file).read_text() != text:
            (copy / file).write_text(text)
    home = copy / measure.HOME_OF_SWITCH
    home.write_text(home.read_text() + how.DECLARATION + how.DEFINITION)
    # What is wrapped hides from the compiler that a loop does not end, say, or that a variable is set.
    # Of these files alone, so that the others need not be compiled again.
    files = "^(" + "|".join(folders) + ").*"
    command = ["./bazelw", "build", f"--per_file_copt={files}@-Wno-error", "//cli:tagflow"]
    subprocess.run(command, cwd=copy, check=True)
    return meanings


def sides_seen(program, options):
    """What each part was, after a run with each engine."""
    with tempfile.NamedTemporaryFile() as sides, tempfile.TemporaryDirectory() as save:
        sides.truncate(PARTS)
        for engine in measure.ENGINES.values():
            command = [program, "fuzz", *engine, "--seconds", str(options.seconds), "--jobs",
                       str(options.jobs), "--save", save]
            subprocess.run(command, env=dict(os.environ, TAGFLOW_SIDES=sides.name),
                           capture_output=True, check=False)
        return pathlib.Path(sides.name).read_bytes()


def try_it(program, meaning, switch, told, options):
    """Says whether fuzzing finds what `switch` does to the place, and after how long; returns it.

    switch: variables of the environment
    told: what is done to it, in words
    """
    is_of_reference = meaning["file"].startswith("reference/")
    engine = measure.ENGINES["reference" if is_of_reference else "optimized"]
    killed, took, said = measure.fuzz(program, engine, switch, options.seconds, options.jobs)
    verdict = "found" if killed else "ALIVE"
    where = f"{meaning['file']}:{meaning['line']}"
    print(f"{verdict}\t{took:.1f} s\t{where}\t{told}\t{said[:120]}", flush=True)
    return killed


def add_options(parser):
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--under", nargs="+", default=UNDER, metavar="DIR")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--force", type=int, default=0, metavar="N",
                        help="parts to hold at each side")
    options = parser.parse_args()
    meanings = build(options.copy, options.under, sys.modules[__name__])
    program = options.copy / "bazel-bin/cli/tagflow"
    seen = sides_seen(program, options)
    told = {0: "never asked", TRUE: "always true", FALSE: "always false"}
    both = []
    for meaning in meanings:
        sides = seen[meaning["number"]]
        if sides in told:
            print(f"{told[sides]}\t{meaning['file']}:{meaning['line']}\t{meaning['part']}")
        else:
            both.append(meaning)
    print(f"{len(meanings)} parts, {len(both)} both true and false", flush=True)
    drawn = random.Random(options.seed).sample(both, min(options.force, len(both)))
    found = 0
    for meaning in drawn:
        for side in (False, True):
            switch = {"TAGFLOW_FORCE": str(2 * meaning["number"] + side)}
            found += try_it(program, meaning, switch, f"{side}: {meaning['part']}", options)
    if drawn:
        print(f"{2 * len(drawn)} held, {found} found")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
