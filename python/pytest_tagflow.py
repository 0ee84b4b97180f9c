"""For pytest: `--tagflow-engine MODULE:FUNCTION` makes a test of each conformance case, run on an engine
in Python (tagflow.testing). A module by itself, so that without the option nothing is imported.
"""

from typing import Any, List


def pytest_addoption(parser: Any) -> None:
    """Options of the plugin."""
    group = parser.getgroup("tagflow")
    group.addoption("--tagflow-engine", metavar="MODULE:FUNCTION",
                    help="hold this engine to conformance cases: a test for each")
    group.addoption("--tagflow-cases", metavar="PATH", action="append",
                    help="files or folders of cases (default: those of the standard)")


def pytest_collection_modifyitems(session: Any, items: List[Any]) -> None:
    """Runs the cases, all at once, and makes a test of what came of each."""
    engine = session.config.getoption("--tagflow-engine")
    if not engine:
        return
    import pytest
    from tagflow import testing

    class CaseItem(pytest.Item):
        """What came of a case."""
        result: testing.CaseResult

        def runtest(self) -> None:
            if self.result.verdict == "UNSUPPORTED":
                pytest.skip(self.result.why)
            if self.result.verdict != "PASS":
                pytest.fail(f"{self.result.verdict}: {self.result.why}", pytrace=False)

        def reportinfo(self) -> Any:
            return self.path, None, self.result.name

    for result in testing.run_cases(engine, session.config.getoption("--tagflow-cases")):
        item = CaseItem.from_parent(session, name=result.name)
        item.result = result
        items.append(item)
