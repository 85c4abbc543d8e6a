"""Reads streams of Arrow, as a server writes them, into arrays of numpy.

Source: the specification of the format, https://arrow.apache.org/docs/format/Columnar.html.
"""

import struct

INT, FLOAT, TEXT, BOOLEAN = 2, 3, 5, 6
SCHEMA, ROWS = 1, 3


class _Table:
    """A table of a flatbuffer, whose fields have numbers from 0."""

    def __init__(self, data, at):
        self._data, self._at = data, at

    def _field(self, number):
        fields = self._at - struct.unpack_from("<i", self._data, self._at)[0]
        size = struct.unpack_from("<H", self._data, fields)[0]
        offset = struct.unpack_from("<H", self._data, fields + 4 + 2 * number)[0] if 4 + 2 * number < size else 0
        return self._at + offset if offset else 0

    def number(self, field, form, absent=0):
        at = self._field(field)
        return struct.unpack_from("<" + form, self._data, at)[0] if at else absent

    def table(self, field):
        at = self._field(field)
        return _Table(self._data, at + struct.unpack_from("<I", self._data, at)[0])

    def _vector(self, field):
        at = self._field(field)
        if not at:
            return 0, 0
        at += struct.unpack_from("<I", self._data, at)[0]
        return at + 4, struct.unpack_from("<I", self._data, at)[0]

    def tables(self, field):
        at, count = self._vector(field)
        return [_Table(self._data, at + 4 * i + struct.unpack_from("<I", self._data, at + 4 * i)[0]) for i in range(count)]

    def pairs(self, field):
        """The structures of a vector, of two 64-bit numbers each."""
        at, count = self._vector(field)
        return list(struct.iter_unpack("<qq", self._data[at:at + 16 * count]))


def _messages(data):
    """Yields the kind, the header and the body of each message of a stream."""
    at = 0
    while at < len(data):
        size = struct.unpack_from("<i", data, at + 4)[0]
        if size == 0:
            break
        meta = data[at + 8:at + 8 + size]
        message = _Table(meta, struct.unpack_from("<I", meta)[0])
        start = at + 8 + size
        at = start + message.number(3, "q")
        yield message.number(1, "B"), message.table(2), data[start:at]


def arrays(data):
    """Returns the columns of a stream, each as an array and a mask of the values that are there, or None if all are.

    Integers are int64, floats float64, truth values bool, and texts are objects.
    """
    import numpy

    data, kinds, columns = memoryview(data), [], []
    for kind, header, body in _messages(data):
        if kind == SCHEMA:
            kinds = [field.number(2, "B") for field in header.tables(1)]
            columns = [([], []) for _ in kinds]
        elif kind == ROWS:
            buffers = iter([body[at:at + size] for at, size in header.pairs(2)])
            for (rows, missing), kind, (values, masks) in zip(header.pairs(1), kinds, columns):
                bits = next(buffers)
                masks.append(_bits(numpy, bits, rows) if missing else numpy.ones(rows, dtype=bool))
                values.append(_values(numpy, kind, buffers, rows))
    empty = {INT: numpy.int64, FLOAT: numpy.float64, BOOLEAN: bool}
    found = []
    for kind, (values, masks) in zip(kinds, columns):
        if values:
            mask = numpy.concatenate(masks)
            found.append((numpy.concatenate(values), None if mask.all() else mask))
        else:
            found.append((numpy.empty(0, dtype=empty.get(kind, object)), None))
    return found


def _bits(numpy, bits, rows):
    return numpy.unpackbits(numpy.frombuffer(bits, dtype=numpy.uint8), bitorder="little")[:rows].astype(bool)


def _values(numpy, kind, buffers, rows):
    if kind == INT:
        return numpy.frombuffer(next(buffers), dtype="<i8")
    if kind == FLOAT:
        return numpy.frombuffer(next(buffers), dtype="<f8")
    if kind == BOOLEAN:
        return _bits(numpy, next(buffers), rows)
    ends = numpy.frombuffer(next(buffers), dtype="<i4").tolist()
    data = bytes(next(buffers))
    texts = numpy.empty(rows, dtype=object)
    if data.isascii():
        data = data.decode()
        texts[:] = [data[i:j] for i, j in zip(ends, ends[1:])]
    else:
        texts[:] = [data[i:j].decode() for i, j in zip(ends, ends[1:])]
    return texts
