"""The rows of an answer."""

import html

from . import arrow


class Table:
    """The rows of an answer: a sequence of tuples.

    columns are the names of the columns, types theirs ("text", "integer", "float", "boolean", or ""
    for several), and notices remarks about the answer. A missing value is None.
    """

    def __init__(self, columns, types, rows, notices):
        self.columns, self.types, self.rows, self.notices = columns, types, rows, notices

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, at):
        """The row at a number, a list of rows for a slice, or the values of a column by its name."""
        return self.column(at) if isinstance(at, str) else self.rows[at]

    def column(self, name):
        """The values of the first column with a name, as a list."""
        if name not in self.columns:
            raise KeyError(f"no column {name!r}: there are {', '.join(self.columns)}")
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def dicts(self):
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def numpy(self):
        """A dictionary with a numpy array for each column.

        Integers without missing values are int64 and floats float64; a column of integers with missing
        values is float64, with NaN for them. Booleans without missing values are bool. All others are
        arrays of objects.
        """
        import numpy

        arrays = {}
        for at, (name, kind) in enumerate(zip(self.columns, self.types)):
            values = [row[at] for row in self.rows]
            missing = None in values
            if kind == "float" or kind == "integer" and missing:
                arrays[name] = numpy.array(values, dtype=numpy.float64)  # None is NaN
            elif kind == "integer":
                arrays[name] = numpy.array(values, dtype=numpy.int64)
            elif kind == "boolean" and not missing:
                arrays[name] = numpy.array(values, dtype=bool)
            else:
                arrays[name] = numpy.empty(len(values), dtype=object)
                arrays[name][:] = values
        return arrays

    def arrow(self):
        """A pyarrow.Table with the columns. One of several types is text, as a server writes it."""
        pyarrow = _pyarrow()
        types = {"integer": pyarrow.int64(), "float": pyarrow.float64(), "boolean": pyarrow.bool_()}
        columns = []
        for at, kind in enumerate(self.types):
            values = [row[at] if kind else _text(row[at]) for row in self.rows]
            columns.append(pyarrow.array(values, type=types.get(kind, pyarrow.string())))
        return pyarrow.Table.from_arrays(columns, names=self.columns)

    def df(self):
        """A pandas.DataFrame with the columns of numpy()."""
        import pandas

        return pandas.DataFrame(self.numpy(), columns=self.columns)

    def __repr__(self):
        most = 20
        cells = [self.columns] + [[_shown(value) for value in row] for row in self.rows[:most]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells if row]
        lines.append(f"({len(self)} row{'' if len(self) == 1 else 's'})")
        return "\n".join(lines + [f"notice: {notice}" for notice in self.notices])

    def _repr_html_(self):
        """The first rows as a table, for notebooks."""
        most = 50

        def line(tag, cells):
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        parts = ["<table><thead>", line("th", self.columns), "</thead><tbody>"]
        parts += [line("td", map(_shown, row)) for row in self.rows[:most]]
        parts.append("</tbody></table>")
        if len(self) > most:
            parts.append(f"<p>{len(self)} rows</p>")
        parts += [f"<p>{html.escape(notice)}</p>" for notice in self.notices]
        return "".join(parts)


class ArrowTable(Table):
    """The answer to a statement, as a stream of Arrow. rows are made when they are first asked for."""

    def __init__(self, columns, types, stream, notices):
        self.columns, self.types, self.notices = columns, types, notices
        self._stream, self._rows, self._arrays = stream, None, None

    def _columns(self):
        if self._arrays is None:
            self._arrays = arrow.arrays(self._stream)
        return self._arrays

    @property
    def rows(self):
        if self._rows is None:
            columns = []
            for values, there in self._columns():
                values = values.tolist()
                if there is not None:
                    values = [value if known else None for value, known in zip(values, there.tolist())]
                columns.append(values)
            self._rows = list(zip(*columns))
        return self._rows

    def __len__(self):
        return len(self._columns()[0][0])

    def numpy(self):
        """The same as that of Table. Arrays without missing values must not be written."""
        import numpy

        found = {}
        for name, (values, there) in zip(self.columns, self._columns()):
            if there is not None and values.dtype in (numpy.int64, numpy.float64):
                values = numpy.where(there, values, numpy.nan)
            elif there is not None:
                values = values.astype(object)
                values[~there] = None
            found[name] = values
        return found

    def arrow(self):
        """A pyarrow.Table over the bytes of the answer, without a copy."""
        return _pyarrow().ipc.open_stream(self._stream).read_all()


class Picture:
    """A picture that a server has drawn. A notebook shows it."""

    def __init__(self, svg, notices):
        self.svg, self.notices = svg, notices

    def save(self, path):
        """Writes the picture as a file of SVG."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<heavytail.Picture of {len(self.svg)} bytes>"


def _pyarrow():
    try:
        import pyarrow.ipc
    except ImportError as error:
        raise ImportError("arrow() needs pyarrow: pip install pyarrow; numpy(), df() and rows do without it") from error
    return pyarrow


def _text(value):
    """A value of a column that has several types, as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0")


def _shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
