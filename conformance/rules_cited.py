"""Which rules of the written standard the cases cite, and which of them no case does."""

import re

# Rules that no case can show, which is one graph run step by step without limits. Each with what
# shows it instead.
EXCEPTIONS = {
    "error.2": "which of several errors is reported depends on what else runs: tests of the engines",
    "partition.4": "an engine that runs all devices in one place need not refuse: tests of the partitioner",
    "partition.5": "what is not ordered across devices no case can show: fuzz/partition",
    "resource.4": "a case runs its steps one after the other: tests of sessions with steps at once",
    "step.3": "a case sets no limits on a step: tests of limits and of time-outs",
}

_LABEL = r"[a-z_]+\.[a-z0-9]+"
_DEFINITION = re.compile(r"^\*\*\[(%s)\]\*\*" % _LABEL, re.MULTILINE)
_CITATION = re.compile(r'^rules:\s*(\[[^\]]*\]|"[^"]*")', re.MULTILINE)
_QUOTED = re.compile(r'"([^"]*)"')


def labels(standard):
    """The labels that the text of the standard defines, in its order."""
    return _DEFINITION.findall(standard)


def citations(case):
    """The labels that a case cites, from the text of its file."""
    return [label for field in _CITATION.findall(case) for label in _QUOTED.findall(field)]


def complaints(defined, cited, exceptions):
    """What is wrong, one line each.

    defined: the labels of the standard; cited: the labels of each case, by the name of its file;
    exceptions: the labels that need no case, with the reason.
    """
    everywhere = {label for labels_of_one in cited.values() for label in labels_of_one}
    wrong = []
    for label in sorted(set(defined)):
        if defined.count(label) > 1:
            wrong.append("%s is defined twice" % label)
        if label not in everywhere and label not in exceptions:
            wrong.append("%s is cited by no case: write one, or name it as an exception" % label)
        if label in everywhere and label in exceptions:
            wrong.append("%s is cited after all: take it off the exceptions" % label)
    for label in sorted(set(exceptions) - set(defined)):
        wrong.append("%s is an exception, but the standard has no such rule" % label)
    for name, labels_of_one in sorted(cited.items()):
        if not labels_of_one:
            wrong.append("%s cites no rule" % name)
        for label in sorted(set(labels_of_one) - set(defined)):
            wrong.append("%s cites %s, which the standard does not have" % (name, label))
    return wrong
