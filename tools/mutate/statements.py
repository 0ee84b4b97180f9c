"""Statements of C++ sources that are a call or an assignment, so that each can be left out."""

import re

import code_text

KEYWORDS = re.compile(
    r"(return|if|for|while|do|switch|case|default|else|break|continue|goto|throw|using|typedef|static"
    r"|static_assert|const|constexpr|auto|delete|struct|class|enum|template|public|private|protected"
    r"|friend|namespace|extern|explicit|virtual|inline|co_return|co_await|TAGFLOW_ASSIGN_OR_RETURN)\b")
# What is called or assigned to, outside of all brackets.
STATEMENT = re.compile(
    r"(\+\+|--|\*)?[A-Za-z_]([\w:.]|\(\)|\[\]|->)*(\+\+|--)?"
    r"( (=|\+=|-=|\|=|&=|\*=|/=|\^=|<<=|>>=) .+)?")
RETURNS = "TAGFLOW_RETURN_IF_ERROR("
# What a macro stands for may be no statement, as a `case`.
MACRO = re.compile(r"[A-Z][A-Z0-9_]+\(")


def is_statement(code):
    """Whether it can be left out, and the rest is as well-formed as before.

    code: without texts and comments
    """
    if KEYWORDS.match(code) or (MACRO.match(code) and not code.startswith(RETURNS)):
        return False
    outer = " ".join(code_text.outside_brackets(code).split())
    if "{" in outer or outer.endswith(("= default", "= delete")):
        return False
    is_done = "(" in outer or "=" in outer or "++" in outer or "--" in outer
    return is_done and STATEMENT.fullmatch(outer) is not None


def spans_of(text):
    """Spans of the statements of a file, without the semicolon, in order, none within another."""
    code = code_text.without_text(text)
    spans = []
    for found in re.finditer(r"(?m)^[ ]{2,}(?=[A-Za-z_+\-*])", code):
        begin = found.end()
        before = code[:begin].rstrip()[-1:]
        if before not in (";", "{", "}", ")", ":") or (spans and begin < spans[-1][1]):
            continue
        end = code_text.end_of(code, begin, ";")
        if end is not None and is_statement(code[begin:end]):
            spans.append((begin, end))
    return spans


def wrapped(statement, number):
    """The statement, which is left out where `number` is."""
    keeps = f"TagflowKeeps({number})"
    if statement.startswith(RETURNS):
        error = statement[len(RETURNS):-1]
        return f"{RETURNS}{keeps} ? ::tagflow::Status({error}) : ::tagflow::Status())"
    return f"{keeps} ? static_cast<void>({statement}) : static_cast<void>(0)"
