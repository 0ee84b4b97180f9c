#!/usr/bin/env python3
"""Leaves out statements of the sources, one at a time, and counts how many of them fuzzing misses.

    fuzz/planted/statements.py COPY [--seconds 60] [--jobs 1] [--leave-out N] [--seed S]

COPY is a folder that becomes a clone of this checkout's HEAD (or is one). There every statement in a
.cc file that is a call or an assignment, TAGFLOW_RETURN_IF_ERROR included, notes whether it ran. The
command then fuzzes for some seconds as users call it, once with each of the two engines, and what
did not run is printed:

    never run  optimized/straight/branches.cc:120  Append(call)

With --leave-out, N of those that ran are drawn, and each is left out while `tagflow fuzz` has
--seconds to find that: what was forgotten is the plainest of bugs. What survives makes no difference
(it reserves memory, say), or is a thing that fuzzing does not see. One binary serves all:
TAGFLOW_GONE says which statement is left out. The last line counts.
"""

import argparse
import random
import re
import sys

import conditions
import measure

KEYWORDS = re.compile(
    r"(return|if|for|while|do|switch|case|default|else|break|continue|goto|throw|using|typedef|static"
    r"|static_assert|const|constexpr|auto|delete|struct|class|enum|template|public|private|protected"
    r"|friend|namespace|extern|explicit|virtual|inline|co_return|co_await|TAGFLOW_ASSIGN_OR_RETURN)\b")
# What is called or assigned to, outside of all brackets.
STATEMENT = re.compile(
    r"(\+\+|--|\*)?[A-Za-z_]([\w:.]|\(\)|\[\]|->)*(\+\+|--)?"
    r"( (=|\+=|-=|\|=|&=|\*=|/=|\^=|<<=|>>=) .+)?")
RETURNS = "TAGFLOW_RETURN_IF_ERROR("
GUARD = "TAGFLOW_STATEMENT"
DECLARATION = f"""#ifndef {GUARD}
#define {GUARD}
extern "C" bool tagflow_keeps(int number);
constexpr bool TagflowKeeps(int number) {{
  return __builtin_is_constant_evaluated() || tagflow_keeps(number);
}}
#endif
"""
DEFINITION = conditions.DEFINITION[:conditions.DEFINITION.index("int ReadForced")] + """
int ReadGone() {
  const char* gone = std::getenv("TAGFLOW_GONE");
  return gone != nullptr ? std::atoi(gone) : -1;
}
}  // namespace
extern "C" bool tagflow_keeps(int number) {
  static unsigned char* const ran = OpenSides();
  static const int gone = ReadGone();
  if (gone >= 0) return number != gone;
  if (ran[number] == 0) __atomic_store_n(&ran[number], 1, __ATOMIC_RELAXED);
  return true;
}
"""


def is_statement(code):
    """Whether it can be left out, and the rest is as well-formed as before.

    code: without texts and comments
    """
    if KEYWORDS.match(code):
        return False
    outer = " ".join(conditions.outside_brackets(code).split())
    if "{" in outer or outer.endswith(("= default", "= delete")):
        return False
    is_done = "(" in outer or "=" in outer or "++" in outer or "--" in outer
    return is_done and STATEMENT.fullmatch(outer) is not None


def statements_of(text):
    """Spans of the statements of a file, without the semicolon, in order, none within another."""
    code = conditions.without_text(text)
    spans = []
    for found in re.finditer(r"(?m)^[ ]{2,}(?=[A-Za-z_+\-*])", code):
        begin = found.end()
        before = code[:begin].rstrip()[-1:]
        if before not in (";", "{", "}", ")", ":") or (spans and begin < spans[-1][1]):
            continue
        end = conditions.end_of(code, begin, ";")
        if end is not None and is_statement(code[begin:end]):
            spans.append((begin, end))
    return spans


def kept(statement, number):
    """The statement, which is left out where `number` is."""
    keeps = f"TagflowKeeps({number})"
    if statement.startswith(RETURNS):
        error = statement[len(RETURNS):-1]
        return f"{RETURNS}{keeps} ? ::tagflow::Status({error}) : ::tagflow::Status())"
    return f"{keeps} ? static_cast<void>({statement}) : static_cast<void>(0)"


def instrument(sources):
    """Wraps every statement of {file: text}, but for headers, which all else is built of.

    Returns what each number stands for.
    """
    meanings = []
    for file in sorted(file for file in sources if file.endswith(".cc")):
        text, done, at = sources[file], [], 0
        for start, stop in statements_of(text):
            statement = text[start:stop]
            done += [text[at:start], kept(statement, len(meanings))]
            meanings.append({"number": len(meanings), "file": file,
                             "line": text.count("\n", 0, start) + 1,
                             "part": " ".join(statement.split())})
            at = stop
        sources[file] = measure.after_includes("".join(done) + text[at:], DECLARATION)
    return meanings


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    conditions.add_options(parser)
    parser.add_argument("--leave-out", type=int, default=0, metavar="N", help="statements")
    options = parser.parse_args()
    meanings = conditions.build(options.copy, options.under, sys.modules[__name__])
    program = options.copy / "bazel-bin/cli/tagflow"
    seen = conditions.sides_seen(program, options)
    ran = []
    for meaning in meanings:
        if seen[meaning["number"]] == 0:
            print(f"never run\t{meaning['file']}:{meaning['line']}\t{meaning['part']}")
        else:
            ran.append(meaning)
    print(f"{len(meanings)} statements, {len(ran)} ran", flush=True)
    drawn = random.Random(options.seed).sample(ran, min(options.leave_out, len(ran)))
    found = 0
    for meaning in drawn:
        switch = {"TAGFLOW_GONE": str(meaning["number"])}
        found += conditions.try_it(program, meaning, switch, meaning["part"], options)
    if drawn:
        print(f"{len(drawn)} left out, {found} found")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
