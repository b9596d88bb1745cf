# SPDX-License-Identifier: GPL-2.0-only
"""
Typical slips in C code with this tree's layout: a comparison, a sign, a unit, a constant, a condition, a
missing line.
"""
import re

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<",
}
OPERATOR = re.compile(r"(?<= )(?:<<|>>|<=|>=|==|!=|\+=|-=|&&|\|\||[-<>+*/])(?= )")
STEP = re.compile(r"\+\+|--")
NOT = re.compile(r"!(?=[\w(*])")
TRUTH = re.compile(r"\b(?:true|false)\b")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*\b)(?![\w]*\.)")
UNITS = {"1000": "1000000", "1000000": "1000", "1000000000": "1000000"}
# a whole statement in one line: a call, an assignment, a jump
STATEMENT = re.compile(r"^\t+((?:[\w>*.\[\]()& +-]+ [-+|&*/]?= .*|[\w>*.\[\]-]+\(.*\)|.*\+\+|.*--|return\b.*|break|continue);)$", re.M)
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
FREES = re.compile(r"^\s*(?:\w*free|\w+_fini|\w+_close)\(")  # LeakSanitizer's to see, with the tests of san/
PROMISE = re.compile(r"^\s*(?:static_)?assert\(")


def blank(match):
    return re.sub(r"[^\n]", "\x01", match.group())


def slips(text):
    """Yields (start, end, replacement) of each slip in the source @text."""
    code = NOISE.sub(blank, text)
    for m in OPERATOR.finditer(code):
        yield m.start(), m.end(), SWAPS[m.group()]
    for m in STEP.finditer(code):
        yield m.start(), m.end(), "--" if m.group() == "++" else "++"
    for m in NOT.finditer(code):
        yield m.start(), m.end(), ""
    for m in TRUTH.finditer(code):
        yield m.start(), m.end(), "false" if m.group() == "true" else "true"
    for m in NUMBER.finditer(code):
        yield m.start(1), m.end(1), UNITS.get(m[1]) or str(int(m[1], 0) + 1)
    for m in STATEMENT.finditer(code):
        if not PROMISE.match(m.group()) and not FREES.match(m.group()):
            yield m.start(1), m.end(1), ";"


def line_of(text, at):
    """Number and text of the line that holds @at."""
    start = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at) + 1, text[start:(text + "\n").index("\n", at)]
