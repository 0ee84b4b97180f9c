"""tagflow_conformance_test: cases as a test target."""

def tagflow_conformance_test(
        name,
        cases,
        engine = "reference",
        engine_args = [],
        expected_failures = None,
        timeout_s = 20,
        shard_count = 1,
        data = [],
        **kwargs):
    """A test that runs conformance cases against an engine.

    Args:
      name: of the test.
      cases: labels of case files (.textproto, .case), or of filegroups of them.
      engine: a built-in engine's name, or the label of a program that speaks the engine protocol.
      engine_args: words that such a program is called with, as ["serve"] for a `tagflow` of one's own.
      expected_failures: label of a file: a case name and a reason per line.
      timeout_s: seconds that one case may take.
      shard_count: over how many test actions the cases are spread.
      data: what the engine needs beside itself.
      **kwargs: of cc_test.
    """
    is_label = engine.startswith(":") or engine.startswith("/") or engine.startswith("@")
    args = ["--jobs", "1", "--timeout", str(timeout_s)]
    if is_label:
        engine_words = " ".join(["$(rootpath %s)" % engine] + engine_args)
        args += ["--engine", "'%s'" % engine_words]
    else:
        args += ["--engine", engine]
    if expected_failures:
        args += ["--expected-failures", "$(rootpath %s)" % expected_failures]
    native.cc_test(
        name = name,
        args = args + ["$(rootpaths %s)" % label for label in cases],
        data = cases + data + ([engine] if is_label else []) +
               ([expected_failures] if expected_failures else []),
        shard_count = shard_count,
        # A Label, which is of this repository wherever the macro is called from.
        deps = [str(Label("//conformance:case_test_main"))],
        **kwargs
    )
