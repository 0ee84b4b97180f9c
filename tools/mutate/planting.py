"""Plants all mutants of a kind into a copy of the sources: one binary, of which the environment
chooses the mutant, or a file that notes what was reached."""

import pathlib
import re
import subprocess

import code_text

ROOT = pathlib.Path(__file__).absolute().parent.parent.parent
# Files that no mutant is planted in, since they say little of what an engine computes: tests, texts,
# traces, files.
LEFT_OUT = re.compile(
    r"_test\.|/test_|trace|observe|/tape/|/io/|_text|near_names|/builder/|/native/(llvm|cells)")
HOME_OF_SWITCH = "graph/status.cc"  # linked into everything
# What machine code is made of has no switch to ask: in this file the headers are as they were.
BODIES = "optimized/native/llvm/bodies.cc"
NO_SWITCH = """#define TAGFLOW_MUTANTS
#define TagflowPart(number, is) (is)
#define TagflowKeeps(number) true
"""
PLACES_MAX = 1 << 20
FALSE, TRUE = 1, 2  # what a condition was; a statement that ran was TRUE

DECLARATION = """#ifndef TAGFLOW_MUTANTS
#define TAGFLOW_MUTANTS
extern "C" bool tagflow_condition(int number, bool is);
extern "C" bool tagflow_keeps(int number);
constexpr bool TagflowPart(int number, bool is) {
  if (__builtin_is_constant_evaluated()) return is;
  return tagflow_condition(number, is);
}
constexpr bool TagflowKeeps(int number) {
  return __builtin_is_constant_evaluated() || tagflow_keeps(number);
}
#endif
"""
DEFINITION = f"""
#include <fcntl.h>
#include <sys/mman.h>
#include <cstdlib>
namespace {{
constexpr int kPlaces = {PLACES_MAX};
unsigned char nothing_noted[kPlaces];
unsigned char* OpenNotes() {{
  const char* path = std::getenv("TAGFLOW_NOTES");
  if (path == nullptr) return nothing_noted;
  const int file = open(path, O_RDWR);
  void* const notes = mmap(nullptr, kPlaces, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return static_cast<unsigned char*>(notes);
}}
int ReadMutant() {{
  const char* mutant = std::getenv("TAGFLOW_MUTANT");
  return mutant != nullptr ? std::atoi(mutant) : -1;
}}
const int mutant = ReadMutant();
void Note(int number, unsigned char side) {{
  static unsigned char* const notes = OpenNotes();
  if ((notes[number] & side) == 0) __atomic_fetch_or(&notes[number], side, __ATOMIC_RELAXED);
}}
}}  // namespace
extern "C" bool tagflow_condition(int number, bool is) {{
  if (mutant >= 0) return number == mutant / 2 ? mutant % 2 == 1 : is;
  Note(number, is ? {TRUE} : {FALSE});
  return is;
}}
extern "C" bool tagflow_keeps(int number) {{
  if (mutant >= 0) return number != mutant / 2;
  Note(number, {TRUE});
  return true;
}}
"""


class Place:
    """Where a mutant can be.

    sides: what of it can be broken, by the digit that TAGFLOW_MUTANT has for it: {0: "false"}
    """

    def __init__(self, number, kind, file, line, text):
        self.number, self.kind, self.file, self.line, self.text = number, kind, file, line, text
        self.sides = {"conditions": {0: "held false", 1: "held true"}}.get(kind, {0: "left out"})
        # Fuzzing notes this of a place where it can find the mutants.
        self.whole = {"conditions": FALSE | TRUE}.get(kind, TRUE)

    def where(self):
        return f"{self.file}:{self.line}"

    def switch(self, side):
        """The environment of the mutant."""
        return {"TAGFLOW_MUTANT": str(2 * self.number + side)}


def plant(sources, kind):
    """Wraps every place of {file: text}; returns the places.

    kind: a module with spans_of(text) and wrapped(text, number)
    """
    places = []
    for file in sorted(sources):
        text, first = sources[file], len(places)
        spans = kind.spans_of(text)
        for start, stop in spans:
            line = text.count("\n", 0, start) + 1
            places.append(Place(len(places), kind.__name__, file, line,
                                " ".join(text[start:stop].split())))
        planted = code_text.replaced(
            text, spans, lambda part, index, first=first: kind.wrapped(part, first + index))
        if spans:
            sources[file] = code_text.after_includes(planted, DECLARATION)
    return places


def files_under(copy, folders, endings):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=copy, check=True,
                            capture_output=True, text=True).stdout
    return [file for file in listed.split() if file.endswith(endings) and not LEFT_OUT.search(file)]


def build(copy, folders, kind, revision="HEAD", among=None, tests=()):
    """Makes `copy` a clone of this checkout at that revision with all mutants of the kind in it, and
    builds the command there; returns the places.

    among: the files that mutants are planted in; None: all that say what an engine computes
    tests: folders whose tests are built, too
    """
    if not (copy / ".git").exists():
        subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    commit = subprocess.run(["git", "rev-parse", revision], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.strip()
    subprocess.run(["git", "fetch", "-q", ROOT, commit], cwd=copy, check=True)
    subprocess.run(["git", "checkout", "-qf", commit], cwd=copy, check=True)
    # Headers hold few statements, and all else is built of them.
    endings = (".cc", ".h") if kind.__name__ == "conditions" else (".cc",)
    sources = {file: (copy / file).read_text() for file in files_under(copy, folders, endings)
               if among is None or file in among}
    places = plant(sources, kind)
    for file, text in sources.items():
        if (copy / file).read_text() != text:
            (copy / file).write_text(text)
    home = copy / HOME_OF_SWITCH
    home.write_text(home.read_text() + DECLARATION + DEFINITION)
    bodies = copy / BODIES
    bodies.write_text(NO_SWITCH + bodies.read_text())
    # What is wrapped hides from the compiler that a loop does not end, say, or that a variable is
    # set. Of these files alone, so that the others need not be compiled again.
    files = "^(" + "|".join(folders) + ").*"
    subprocess.run(["./bazelw", "build", f"--per_file_copt={files}@-Wno-error", "//cli:tagflow",
                    *(f"//{folder}:all" for folder in tests)], cwd=copy, check=True)
    return places
