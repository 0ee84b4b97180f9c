"""C++ as text: what is code in it, and where an expression ends."""

import re

LITERAL = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/"  # comments
    r'|R"\([\s\S]*?\)"|"(?:\\.|[^"\\\n])*"'  # texts
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")  # letters, and no separators of digits


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


def outside_brackets(code):
    text, depth = [], 0
    for letter in code:
        depth -= letter in ")]}"
        if depth == 0:
            text.append(letter)
        depth += letter in "([{"
    return "".join(text)


def after_includes(text, addition):
    includes = list(re.finditer(r"^#include .*\n", text, re.MULTILINE))
    at = includes[-1].end() if includes else 0
    return text[:at] + addition + text[at:]


def replaced(text, spans, replacement):
    """The text with each span replaced by replacement(its text, its number in the list)."""
    done, at = [], 0
    for number, (start, stop) in enumerate(spans):
        done += [text[at:start], replacement(text[start:stop], number)]
        at = stop
    return "".join(done) + text[at:]
