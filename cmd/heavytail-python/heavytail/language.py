"""Builds statements: what a program gives becomes a name in quotes or a parameter, never other text of the statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Union

Key = Union[str, int]  # of a vertex: its text, or an integer whose decimal text is the key
Value = Union[str, int, float, bool]
Vector = Sequence[float]  # also a numpy array


class Call:
    """A method with options: Call("fastrp", dim=64)."""

    def __init__(self, name: str, /, **options: Value):
        self.name, self.options = name, options


Method = Union[str, Call]


class Where:
    """A condition in the language with parameters $name: Where("age >= $least AND city = $city", least=40, city="Bern")."""

    def __init__(self, text: str, /, **params: Value):
        self.text, self.params = text, params


Condition = Union[str, Where]


def quoted(name: str) -> str:
    """A name in the language."""
    return '"' + name.replace('"', '""') + '"'


QUOTED = r'"(?:[^"]|"")*"'


def scorer(text: str) -> str:
    """A scorer, or a name with another one in parentheses, with each name in quotes."""
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if not found:
        raise ValueError(f"{text!r} is no scorer, such as jaccard or cosine(spec)")
    name, of = found.groups()
    if of is None:
        return quoted(name)
    of = of.strip()
    return f"{quoted(name)}({of if re.fullmatch(QUOTED, of) else quoted(of)})"


def several(values) -> list:
    """A list of values, or of the one."""
    return [values] if isinstance(values, (str, int, Call)) else list(values)


class Statement:
    """A statement that is built clause by clause. A clause whose value is None is left out."""

    def __init__(self, words: str):
        self._words, self.params = [words], {}

    @property
    def text(self) -> str:
        return " ".join(filter(None, self._words))

    def parameter(self, value) -> str:
        name = f"__{len(self.params) + 1}"
        self.params[name] = value
        return "$" + name

    def word(self, words: str, given: bool = True) -> None:
        if given:
            self._words.append(words)

    def _clause(self, words: str, value, write) -> None:
        if value is not None:
            self._words += [words, write(value)]

    def _list(self, words: str, values, write) -> None:
        self._clause(words, values, lambda values: ", ".join(map(write, several(values))))

    def name(self, words, name):
        self._clause(words, name, quoted)

    def names(self, words, names):
        self._list(words, names, quoted)

    def value(self, words, value):
        self._clause(words, value, self.parameter)

    key = count = number = value

    def keys(self, words, keys):
        self._list(words, keys, self.parameter)

    def pairs(self, words, pairs):
        self._list(words, pairs, lambda pair: "({}, {})".format(*map(self.parameter, pair)))

    def target(self, words, to):
        """A vertex, several vertices, or a vector."""
        if isinstance(to, (list, tuple)) and to and all(isinstance(v, str) for v in to):
            self._clause(words, to, lambda to: "(" + ", ".join(map(self.parameter, to)) + ")")
        else:
            self.value(words, to)

    def space(self, words, embedding, metric):
        self._clause(words, embedding, lambda embedding: f"{quoted(metric)}({quoted(embedding)})" if metric else quoted(embedding))

    def scorer(self, words, text):
        self._clause(words, text, scorer)

    def scorers(self, words, texts):
        self._list(words, texts, scorer)

    def call(self, words, name, options):
        self._clause(words, name, lambda name: self._call(Call(name, **options)))

    def calls(self, words, calls):
        self._list(words, calls, lambda c: self._call(c if isinstance(c, Call) else Call(c)))

    def _call(self, call):
        return quoted(call.name) + self._options(call.options)

    def _options(self, options: Mapping[str, Value]) -> str:
        given = ", ".join(f"{quoted(name)} := {self.parameter(value)}" for name, value in options.items() if value is not None)
        return f"({given})" if given else ""

    def options(self, options):
        self._clause("WITH", self._options(options) or None, str)

    def one_of(self, value: str, words: list[str]) -> None:
        if value.upper() not in words:
            raise ValueError(f"{value!r} is none of {', '.join(words).lower()}")
        self._words.append(value.upper())

    def condition(self, words, where):
        if isinstance(where, Where):
            for name, value in where.params.items():
                if self.params.setdefault(name, value) is not value:
                    raise ValueError(f"the parameter ${name} has two values")
            where = where.text
        self._clause(words, where, str)

    def rows(self, *, columns=None, where=None, order_by=None, descending=False, limit=None, offset=None):
        """The clauses that choose and sort rows."""
        self.names("COLUMNS", columns)
        self.condition("WHERE", where)
        self._clause("ORDER BY", order_by, lambda column: quoted(column) + (" DESC" if descending else ""))
        self.count("LIMIT", limit)
        self.count("OFFSET", offset)
