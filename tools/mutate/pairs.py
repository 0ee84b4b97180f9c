"""The same mutants in two revisions, tried in pairs: whether what fuzzing finds became more or less.

The mutants are in files that are the same in both, so that a number means the same mutant in either.
Both of a pair run at once, one process each, so that what else the machine does falls on both.
"""

import concurrent.futures
import subprocess

import judging
import planting


def listed(revision, folders):
    """{path: hash of the text} of a revision's files."""
    lines = subprocess.run(["git", "ls-tree", "-r", revision, *folders], cwd=planting.ROOT,
                           check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split("\t")[1]: line.split()[2] for line in lines}


def same_files(revisions, folders):
    first, second = (listed(revision, folders) for revision in revisions)
    return {path for path, text in first.items() if second.get(path) == text}


def both(task, arguments):
    """[task(x) for x of two arguments], at once."""
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        return list(executor.map(task, arguments))


def build(copy, revisions, folders, kind):
    """Builds copy/0 and copy/1, of a revision each; returns the commands and the places."""
    files, programs = same_files(revisions, folders), []
    for number, revision in enumerate(revisions):
        places = planting.build(copy / str(number), folders, kind, revision, files)
        programs.append(copy / str(number) / "bazel-bin/cli/tagflow")
    return programs, places


def reached_by_both(programs, places, seconds):
    """Places whose mutants either revision's fuzzing can find."""
    notes = both(lambda program: judging.notes_after(program, seconds, 1), programs)
    found = [place for place in places
             if all(each[place.number] == place.whole for each in notes)]
    print(f"{len(places)} {places[0].kind} in files that are the same, "
          f"{len(found)} reached in both revisions", flush=True)
    return found


def try_each(programs, name, mutants, seconds):
    """Prints a line for each pair; returns how many were found in the first and in the second.

    name: of one of judging.ENGINES, whose mutants these are
    """
    counts, engine = [0, 0], judging.ENGINES[name]
    known = both(lambda program: judging.failing_without(program, engine, seconds, 1), programs)
    for place, side in mutants:
        switch = place.switch(side)
        results = both(lambda i: judging.fuzz(programs[i], engine, switch, seconds, 1, known[i]),
                       range(2))
        for i, (killed, _, _) in enumerate(results):
            counts[i] += killed
        words = "\t".join(f"{'found' if killed else 'ALIVE'} {took:.1f} s"
                          for killed, took, _ in results)
        print(f"{words}\t{place.where()}\t{place.sides[side]}: {place.text}", flush=True)
    return counts
