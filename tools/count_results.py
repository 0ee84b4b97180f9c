"""Counts the results of a `bazel test`, from its build events: prints `N passed, N failed`.

Arguments: the file of --build_event_json_file, and Bazel's exit code.

Passed are the tests that passed. Failed are the tests that did not, whatever the way (failed, timed
out, flaky, not built, not run although Bazel gave up), and the other targets that did not build.
Skipped, named only where there are some, are tests that were built but that the command filtered
out.
"""

import json
import sys


def _label(event, kind):
    identity = event.get("id", {}).get(kind)
    return identity.get("label") if identity else None


def verdicts(events):
    """A dict from label to "passed", "failed", "skipped" or "built"."""
    found = {}
    for event in events:
        label = _label(event, "targetConfigured")
        if label and "configured" in event:
            is_test = "testSize" in event["configured"]
            found.setdefault(label, "skipped" if is_test else "built")
        label = _label(event, "targetCompleted")
        if label and not event.get("completed", {}).get("success"):
            found[label] = "failed"
        label = _label(event, "testSummary")
        if label:
            status = event.get("testSummary", {}).get("overallStatus")
            found[label] = "passed" if status == "PASSED" else "failed"
    return found


def summary(events, exit_code):
    """The closing line. Bazel's failure is never reported as no failure."""
    counted = list(verdicts(events).values())
    failed = counted.count("failed")
    if exit_code != 0 and failed == 0:
        failed = 1
    line = f"{counted.count('passed')} passed, {failed} failed"
    skipped = counted.count("skipped")
    return line + (f", {skipped} skipped" if skipped else "")


def main(path, exit_code):
    events = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                events.append(json.loads(line))
            except ValueError:
                break  # Bazel was stopped while it wrote.
    print(summary(events, int(exit_code)))


if __name__ == "__main__":
    main(*sys.argv[1:])
