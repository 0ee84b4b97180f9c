"""The part of the house style that a machine can check, a small function per rule.

A rule takes what it needs and yields (path, message). Those that look at one file are in
FILE_RULES, those that look at the whole tree in TREE_RULES; the key is the name by which
tidy_allowed.txt excuses a file.
"""

import ast
import posixpath
import re

import build_files

MAX_LINES = 600
MAX_HEADER_LINES = 300
MAX_FUNCTION_LINES = 60
MAX_CLASS_LINES = 300

_CODE = (".cc", ".h", ".cu", ".py", ".sh", ".bzl", ".proto")
_CXX = (".cc", ".h", ".cu")
_TEXT = _CODE + (".md", ".txt", ".bazelrc", "BUILD", "WORKSPACE", "bazelw", "tools/bazel", ".ci/run")


def lines(path, text):
    """Files stay short enough to be read whole."""
    if not path.endswith(_CODE):
        return
    limit = MAX_HEADER_LINES if path.endswith(".h") else MAX_LINES
    count = text.count("\n")
    if count > limit:
        yield path, f"{count} lines; split it (at most {limit})"


def guard(path, text):
    """A header's guard is its path."""
    if not path.endswith(".h"):
        return
    name = "TAGFLOW_" + re.sub(r"[^A-Z0-9]", "_", path.upper()) + "_"
    code = re.sub(r"^\s*(//[^\n]*\n\s*)*", "", text)
    opening = f"#ifndef {name}\n#define {name}\n"
    if not code.startswith(opening) or not text.rstrip().endswith(f"#endif  // {name}"):
        yield path, f"wants the include guard {name}, closed by a comment that names it"


def whitespace(path, text):
    """No tabs, no carriage returns, no blanks at a line's end, one newline at the file's end."""
    if not path.endswith(_TEXT):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line or "\r" in line:
            yield f"{path}:{number}", "a tab or a carriage return"
        elif line != line.rstrip():
            yield f"{path}:{number}", "blanks at the end of the line"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield path, "does not end in exactly one newline"


# Written so that this file does not hold what it looks for.
_UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X]|not implemente[d] yet|for no[w])\b")
_MACHINE_PATH = re.compile(r"(?<![\w.$}*/-])/(?:wor[k]|tm[p]|roo[t]|far[m]|hom[e])/\w")


def unfinished(path, text):
    """What is in the tree is done; what is not done is not in the tree."""
    yield from _find(path, text, _UNFINISHED, "a mark of unfinished work")


def machine_path(path, text):
    """Nothing in the tree depends on where somebody's machine keeps its files."""
    yield from _find(path, text, _MACHINE_PATH, "a path of one machine")


def _find(path, text, pattern, message):
    if not path.endswith(_TEXT):
        return
    for number, line in enumerate(text.split("\n"), 1):
        match = pattern.search(line)
        if match:
            yield f"{path}:{number}", f"{message}: {match.group(0)}"


def function_length(path, text):
    """A function fits on a screen. C++ is read by its layout, which clang-format fixes: what
    starts in the first column with a parameter list and ends with a brace in the first column, and
    likewise two columns further in a class than the class."""
    for number, name, length in _functions(path, text):
        if length > MAX_FUNCTION_LINES:
            yield f"{path}:{number}", f"{name} has {length} lines (at most {MAX_FUNCTION_LINES})"


def _functions(path, text):
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.lineno, node.name, node.end_lineno - node.lineno + 1
    elif path.endswith(_CXX):
        text_lines = text.split("\n")
        yield from _cxx_functions(text_lines)
        for start, _, end in _cxx_classes(text_lines):
            depth = len(_indentation(text_lines[start - 1])) + 2
            members = [line[depth:] if line[:depth].isspace() else "" for line in
                       text_lines[start:end - 1]]
            for number, name, length in _cxx_functions(members):
                yield start + number, name, length


def class_length(path, text):
    """A class fits in one's head."""
    if not path.endswith(_CXX):
        return
    for start, name, end in _cxx_classes(text.split("\n")):
        length = end - start + 1
        if length > MAX_CLASS_LINES:
            yield f"{path}:{start}", f"{name} has {length} lines (at most {MAX_CLASS_LINES})"


_CLASS = re.compile(r" *(?:class|struct) (?:\w+\(.*\) |alignas\(.*\) )?(?P<name>[\w:<>]+)[^;()]*\{$")


def _cxx_classes(text_lines):
    """(first line, name, last line) of each class, also of those in classes."""
    for number, line in enumerate(text_lines, 1):
        opening = _CLASS.match(line)
        if not opening:
            continue
        closing = _indentation(line) + "};"
        for end in range(number, len(text_lines)):
            if text_lines[end] == closing:
                yield number, opening["name"], end + 1
                break


def _indentation(line):
    return line[:len(line) - len(line.lstrip())]


_NOT_A_FUNCTION = re.compile(
    r"(namespace|class|struct|enum|union|using|typedef|public:|private:|protected:|#|//|extern \"C\")")


def _cxx_functions(text_lines):
    start = None
    for number, line in enumerate(text_lines, 1):
        if line == "}" and start is not None:
            name = re.search(r"([\w:~]+|operator\S+)\(", text_lines[start - 1])
            yield start, name.group(1) if name else "a function", number - start + 1
            start = None
        elif line[:1] in ("}", ")"):
            start = None
        elif line and not line[0].isspace():
            if _NOT_A_FUNCTION.match(line):
                start = None
            elif "(" in line and not line.rstrip().endswith(";"):
                start = number


_DRAW = re.compile(r"\b(?:Below|Between|Weighted|Chance)\(")
_DRAWN_NUMBER = re.compile(r"(?<![\w.])(?:0x)?\d[\w.]*")


def drawn_numbers(path, text):
    """What a generator draws has a name: odds, a range, or how many there are of something. 0 and 1
    are where an index or a count begins, beside a bound that is no number."""
    if not path.startswith("fuzz/") or not path.endswith((".cc", ".h")) or path.endswith("_test.cc"):
        return
    if path.startswith("fuzz/generate/choices."):  # what all else is made of
        return
    for call in _DRAW.finditer(text):
        arguments = _arguments(text, call.end())
        numbers = set(_DRAWN_NUMBER.findall(arguments))
        if numbers - {"0", "1"} or (numbers and not re.search(r"[A-Za-z_]", arguments)):
            line = text.count("\n", 0, call.start()) + 1
            yield f"{path}:{line}", f"a draw of a number without a name: {call.group(0)}{arguments})"


def _arguments(text, begin):
    """The text between the bracket that ends at `begin` and the one that closes it."""
    depth = 1
    for end in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[begin:end]
    return text[begin:]


_ERROR_WORDS = re.compile(r"message\(\)\s*(?:[=!]=|\.(?:find|starts_with|ends_with|contains)\()")


def error_words(path, text):
    """Nothing is decided by the words of an error, which are for people: it has a code, a rule and a
    node. Tests look at the words."""
    if path.endswith(_CXX) and "_test" not in path:
        yield from _find(path, text, _ERROR_WORDS, "a decision by an error's words")


def built(files, read):
    """Every source file belongs to a target, else nothing compiles or runs it."""
    named = build_files.files_of_targets(build_files.read_targets(files, read))
    for path in files:
        if path.endswith(_CXX + (".proto", ".py")) and path not in named:
            yield path, "no BUILD target names it"


_TESTS = re.compile(r"^// Tests: ((?:.*\n)(?:// +\w+\.cc.*\n)*)", re.MULTILINE)


_REGISTERS_KERNELS = re.compile(r"^Status Register\w+\(KernelRegistry& ", re.MULTILINE)
_TESTED_BY = re.compile(r"^//.*\bTested by [\w/]+(?:\.ops|_test\.py)\b", re.MULTILINE)


def tested(files, read):
    """A source file has its test beside it: one of its name, one that includes its header, or one
    that names it: `// Tests: a.cc, b.cc`. Kernels are tested by the scripts in conformance/ops,
    which call every op that has one; what kernels are made of names its script, and what Python
    sees its test in Python: `// Tested by a_test.py`."""
    tests = [path for path in files if path.endswith("_test.cc")]
    included = {folder: "" for folder in map(posixpath.dirname, tests)}
    for test in tests:
        included[posixpath.dirname(test)] += read(test)
    for path in files:
        stem, suffix = posixpath.splitext(path)
        if suffix not in (".cc", ".cu") or stem.endswith(("_test", "_benchmark", "_without_cuda")):
            continue
        if path.startswith("bench/") or re.search(r"^int main\(", read(path), re.MULTILINE):
            continue
        if _REGISTERS_KERNELS.search(read(path)) or _TESTED_BY.search(read(path)):
            continue
        beside = included.get(posixpath.dirname(path), "")
        if f"{stem}_test.cc" in files or f'#include "{stem}.h"' in beside:
            continue
        if posixpath.basename(path) not in " ".join(_TESTS.findall(beside)).replace(",", " ").split():
            yield path, "no test beside it, by name, by including its header, or by `// Tests:`"


_CITED_TEST = re.compile(r"\b[\w/]+(?:_test\.(?:cc|py)|\.ops)\b")


def cited_tests(files, read):
    """A test that a comment names is there."""
    known = set(files) | {posixpath.basename(path) for path in files}
    for path in (path for path in files if path.endswith(_CXX)):
        for number, line in enumerate(read(path).split("\n"), 1):
            comment = line.partition("//")[2]
            for test in _CITED_TEST.findall(comment):
                beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), test))
                if not {test, beside} & known:
                    yield f"{path}:{number}", f"a comment names {test}, which is not there"


_LABEL = re.compile(r"\[([a-z_]+\.(?:\d+|\*))\]")


def cited_labels(files, read):
    """A rule that a comment or a page names is one of the standard's."""
    if "docs/semantics.md" not in files:
        return
    labels = set(re.findall(r"\*\*\[([a-z_]+\.[a-z0-9]+)\]\*\*", read("docs/semantics.md")))
    labels |= {label.partition(".")[0] + ".*" for label in labels}
    for path in (path for path in files if path.endswith(_CXX + (".md",))):
        for number, line in enumerate(read(path).split("\n"), 1):
            text = line if path.endswith(".md") else line.partition("//")[2]
            for label in _LABEL.findall(text):
                if label not in labels:
                    yield f"{path}:{number}", f"there is no rule [{label}] in docs/semantics.md"


_LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")


def links(files, read):
    """The links of the documentation lead somewhere: to files of the tree, to headings in them."""
    folders = {posixpath.dirname(path) for path in files}
    for path in (path for path in files if path.endswith(".md")):
        text = re.sub(r"```.*?```", "", read(path), flags=re.DOTALL)
        for target in _LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            linked = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            linked = path if not name else linked
            if linked not in files and linked not in folders:
                yield path, f"a link to {target}: there is no {linked}"
            elif anchor and linked.endswith(".md") and anchor not in _anchors(read(linked)):
                yield path, f"a link to {target}: there is no such heading in {linked}"


def _anchors(text):
    """The anchors of a page: explicit ones, and those made of its headings as GitHub makes them."""
    anchors = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        anchors.add(plain.strip().replace(" ", "-"))
    return anchors


FILE_RULES = {
    "lines": lines,
    "guard": guard,
    "whitespace": whitespace,
    "unfinished": unfinished,
    "machine-path": machine_path,
    "function-length": function_length,
    "class-length": class_length,
    "drawn-numbers": drawn_numbers,
    "error-words": error_words,
}
TREE_RULES = {
    "built": built,
    "tested": tested,
    "links": links,
    "cited-tests": cited_tests,
    "cited-labels": cited_labels,
}


def broken(files, read):
    """Every breach in the tree: (rule, path, message), the path with its line where there is one."""
    for path in files:
        text = read(path)
        for name, rule in FILE_RULES.items():
            for where, message in rule(path, text):
                yield name, where, message
    for name, rule in TREE_RULES.items():
        for where, message in rule(files, read):
            yield name, where, message


def judge(breaches, allowed):
    """What is wrong in the end, as lines to print.

    Args:
      breaches: as `broken` yields them.
      allowed: lines `rule path`; blank lines and those that start with # say nothing.

    An allowance that excuses nothing is wrong too: the list only shrinks.
    """
    entries = [line.split("#")[0].split() for line in allowed.splitlines()]
    excused = {tuple(entry): False for entry in entries if entry}
    problems = []
    for rule, where, message in breaches:
        key = (rule, where.partition(":")[0])
        if key in excused:
            excused[key] = True
        else:
            problems.append(f"{where}: {message} [{rule}]")
    for key, used in excused.items():
        if not used:
            problems.append(f"tools/tidy_allowed.txt: '{' '.join(key)}' is not needed; delete it")
    return problems
