"""Formulas as the code writes them, such as `(r - e) / (sqrt(ki kj) - e), e = ki kj / d`, in TeX.

Factors stand side by side; a slash divides the factors before it, up to the last sum, by the one behind it; sum_f and
mean_f have what they run over below; words that are no function stay words. What is no formula is a FormulaError.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

BAR = "\N{COMBINING MACRON}"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<power>[⁰¹²³⁴-⁹]+|\^\w+|\^\([^)]*\))
    |(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)
    |(?P<code>`[^`]*`)
    |(?P<name>[^\W\d_]{BAR}?(?:[^\W_⁰¹²³⁴-⁹])*(?:_(?:\{{[^}}]*\}}|[A-Za-z0-9]+))?)
    |(?P<relation>←|<=|>=|!=|=|<|>|≤|≥|≠)
    |(?P<open>[(\[])|(?P<close>[)\]])
    |(?P<sign>[-+−/|,;:\\√·.])""",
    re.VERBOSE,
)
BIG = {
    "sum": r"\sum",
    "Σ": r"\sum",
    "prod": r"\prod",
    "max": r"\max",
    "min": r"\min",
    "argmin": r"\operatorname{argmin}",
    "mean": r"\operatorname{mean}",
}
FUNCTIONS = {"ln": r"\ln", "log": r"\log", "log2": r"\log_2", "tr": r"\operatorname{tr}", "E": r"\mathrm{E}"}
OPERATORS = {"u": r"\cup", "mod": r"\bmod", "in": r"\in", "with": r"\ \text{with}\ "}
RELATIONS = {"←": r"\leftarrow", "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "≤": r"\le", "≥": r"\ge", "≠": r"\ne"}
LETTERS = {"alpha", "beta", "gamma", "lambda", "rho"}
GREEK = {"ρ": r"\rho", "λ": r"\lambda"}
SHORT_WORDS = {"as", "by", "is", "no", "of", "on", "to"}
ENDS = {"(": ")", "[": "]"}


class FormulaError(ValueError):
    """A text that is no formula, or not one as this module knows it."""


def tex(formula: str) -> str:
    """The formula in TeX; what a comma or semicolon separates stands apart."""
    reader = _Reader(_tokens(formula.strip().rstrip(".")))
    parts = reader.parts()
    if reader.left:
        raise FormulaError(f"{formula!r} has {reader.text!r} where nothing is expected.")
    return r",\quad ".join(parts)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    spaced: bool  # whether a space stands before it
    gap: bool  # whether one stands behind it


def _tokens(formula: str) -> list[_Token]:
    formula = unicodedata.normalize("NFD", formula) if BAR in unicodedata.normalize("NFD", formula) else formula
    found: list[_Token] = []
    place, spaced = 0, False
    while place < len(formula):
        match = TOKEN.match(formula, place)
        if match is None or match.lastgroup is None:
            raise FormulaError(f"{formula!r} has {formula[place]!r}, which no formula has.")
        place = match.end()
        if match.lastgroup != "space":
            gap = formula[place : place + 1].isspace()
            found.append(_Token(match.lastgroup, match[0], spaced, gap))
        spaced = match.lastgroup == "space"
    return found


@dataclass
class _Reader:
    tokens: list[_Token]
    place: int = 0
    bars: int = 0  # how many |...| are open
    loose: bool = False  # whether what was read last binds less than a slash

    @property
    def left(self) -> bool:
        return self.place < len(self.tokens)

    @property
    def now(self) -> _Token:
        return self.tokens[self.place] if self.left else _Token("end", "", False, False)

    @property
    def text(self) -> str:
        return self.now.text

    def take(self) -> _Token:
        token = self.now
        self.place += 1
        return token

    def parts(self) -> list[str]:
        """What commas and semicolons separate."""
        parts = [self.relation()]
        while self.text in (",", ";", ":") and self.left:
            self.take()
            parts.append(self.relation())
        return parts

    def relation(self) -> str:
        return self._chain(self.sum, lambda token: token.kind == "relation" or token.text in OPERATORS, _operator)

    def sum(self) -> str:
        sign = "-" if self.text in ("-", "−") and self.take() else ""
        return sign + self._chain(self.product, lambda token: token.text in ("+", "-", "−", "\\"), _operator)

    def _chain(self, part: Callable[[], str], joins: Callable[[_Token], bool], sign: Callable[[str], str]) -> str:
        found = part()
        while self.left and joins(self.now):
            joint = sign(self.take().text)
            found = f"{found} {joint} {part()}"
        return found

    def product(self) -> str:
        """Factors side by side; a slash divides those behind the last sum, maximum, mean or word by the next one."""
        before: list[str] = []
        factors: list[str] = []
        while self._starts_a_factor():
            factors.append(self.factor())
            while self.text == "/" and self.left:
                self.take()
                factors = [rf"\frac{{{_bare(factors)}}}{{{_bare([self.factor()])}}}"]
            if self.loose:
                before, factors, self.loose = [*before, *factors], [], False
        if not (before or factors):
            raise FormulaError(f"a factor is missing before {self.text!r}")
        return " ".join([*before, *factors])

    def _starts_a_factor(self) -> bool:
        token = self.now
        if token.text == "|":
            return not (token.spaced and token.gap) and not (self.bars and not token.spaced)
        if token.text in ("√", "·"):
            return True
        return token.kind in ("number", "name", "code", "open") and token.text not in OPERATORS

    def factor(self) -> str:
        base = self.primary()
        while self.now.kind == "power":
            base = f"{{{base}}}^{{{self.take().text.translate(SUPERSCRIPTS).lstrip('^').strip('()')}}}"
        return base

    def primary(self) -> str:
        token = self.take()
        if token.kind == "number":
            return token.text.replace(",", r"{,}")
        if token.text == "·":
            return r"\cdot"
        if token.text == "√":
            return rf"\sqrt{{{_bare([self.factor()])}}}"
        if token.text == "|":
            return self._absolute()
        if token.kind == "code":
            return rf"\text{{{token.text.strip('`')}}}"
        if token.kind == "open":
            return self._group(token.text)
        if token.kind == "name":
            return self._name(token)
        raise FormulaError(f"{token.text!r} is no factor")

    def _absolute(self) -> str:
        self.bars += 1
        inner = self.relation()
        if self.take().text != "|":
            raise FormulaError("a bar is not closed")
        self.bars -= 1
        return rf"\left|{inner}\right|"

    def _group(self, opening: str) -> str:
        bars, self.bars = self.bars, 0
        inner = [self.relation()]
        while self.text in (",", ";", "|") and self.left:
            sign = {"|": r" \mid "}.get(self.text, f"{self.text}\\,")
            self.take()
            inner[-1] += sign
            inner.append(self.relation())
        if self.take().text != ENDS[opening]:
            raise FormulaError(f"{opening} is not closed")
        self.bars = bars
        return rf"\left{opening}{''.join(inner)}\right{ENDS[opening]}"

    def _name(self, token: _Token) -> str:
        head, _, below = token.text.partition("_")
        applied = self.now.kind == "open" and not self.now.spaced
        if head == "sqrt" and applied:
            return rf"\sqrt{{{_bare([self.factor()])}}}"
        if head in BIG and not (self.now.kind == "name" and _is_prose(self.text) and head == "mean"):
            self.loose = not applied or bool(below)
            return BIG[head] + _subscript(below) + ("" if self.loose else self.primary())
        if head in FUNCTIONS:
            return FUNCTIONS[head] + _subscript(below) + (self.primary() if applied else "")
        if _is_word(head):
            return self._words(token) if not (below or applied) else rf"\text{{{head}}}" + _subscript(below)
        return _letter(head) + _subscript(below) + (self.primary() if applied else "")

    def _words(self, first: _Token) -> str:
        """Words up to the next sign or symbol, as one text."""
        words = [first.text]
        while (self.now.kind == "name" and _is_prose(self.text)) or (self.text == "-" and not self.now.spaced):
            words.append(self.take().text)
        self.loose = True
        text = re.sub(r" ?- ?", "-", " ".join(words))
        return rf"\ \text{{{text}}}\ "


def _operator(text: str) -> str:
    return {"−": "-", "\\": r"\backslash"}.get(text) or RELATIONS.get(text) or OPERATORS.get(text, text)


def _bare(factors: list[str]) -> str:
    """A numerator or denominator: its only factor needs no brackets."""
    only = factors[0] if len(factors) == 1 else ""
    found = re.fullmatch(r"\\left[(\[](.*)\\right[)\]]", only)
    closed = found is not None and _balanced(found[1])
    return found[1] if found is not None and closed else " ".join(factors)


def _balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"\\(left|right)(?![a-z])", text):
        depth += 1 if sign == "left" else -1
        if depth < 0:
            return False
    return depth == 0


def _is_word(head: str) -> bool:
    return (len(head) > 2 and head.isalpha() and head not in LETTERS) or head in SHORT_WORDS


def _is_prose(text: str) -> bool:
    known = {*BIG, *FUNCTIONS, *OPERATORS, *LETTERS, "sqrt"}
    return text.isalpha() and (len(text) > 2 or text in SHORT_WORDS) and text not in known


def _letter(head: str) -> str:
    if head in LETTERS:
        return f"\\{head}"
    if BAR in head:
        return rf"\bar{{{head.replace(BAR, '')}}}"
    head = head.translate(SUBSCRIPTS)
    shown = GREEK.get(head[0], head[0])
    return shown if len(head) == 1 else f"{shown}_{{{head[1:]}}}"  # ki is k_i, n0 is n_0


def _subscript(below: str) -> str:
    if not below:
        return ""
    if below.startswith("{"):
        return f"_{{{tex(below[1:-1])}}}"
    return f"_{{{below}}}" if len(below) <= 2 else rf"_{{\text{{{below}}}}}"
