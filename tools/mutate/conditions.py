"""Conditions of C++ sources, taken apart, so that each part can be held true or false.

A condition is that of an `if` or a `while`, or what a function returns as a sum or product of
truths; its parts are what stands between `&&` and `||`.
"""

import re

import code_text

KEYWORD = re.compile(r"\b(?P<word>if|while|return)\b\s*(?P<constexpr>constexpr\b)?")
DECLARES = re.compile(r"[^=!<>+\-*/|&^]=[^=]")


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


def without_blanks(code, start, stop):
    while start < stop and code[start].isspace():
        start += 1
    while stop > start and code[stop - 1].isspace():
        stop -= 1
    return start, stop


def condition_at(code, keyword):
    """The span of the condition behind a keyword; None where it is no condition to take apart."""
    begin = keyword.end()
    if keyword["constexpr"]:
        return None
    if keyword["word"] == "return":
        end = code_text.end_of(code, begin, ";")
    elif code[begin:begin + 1] == "(":
        begin += 1
        end = code_text.end_of(code, begin, ")")
    else:
        return None
    if end is None:
        return None
    outer = code_text.outside_brackets(code[begin:end])
    if ";" in outer or "?" in outer or DECLARES.search(outer) or "co_" in outer:
        return None
    return begin, end


def spans_of(text):
    """Spans of the parts of all conditions of a file, in order, none within another."""
    code = code_text.without_text(text)
    parts = []
    for keyword in KEYWORD.finditer(code):
        condition = condition_at(code, keyword)
        if condition is None or (parts and condition[0] < parts[-1][1]):
            continue
        spans = split(code, *condition)
        if keyword["word"] == "return" and len(spans) == 1:
            continue
        trimmed = (without_blanks(code, *span) for span in spans)
        parts += [span for span in trimmed if span[0] < span[1]]
    return parts


def wrapped(part, number):
    return f"TagflowPart({number}, static_cast<bool>({part}))"
