"""Errors of statements, made from those of the server."""


class Error(Exception):
    """An error of a statement or of the server.

    message is its text; codes are the names of the errors of the layers behind it, such as
    "storage.ErrNotFound", as ``heavytail manual errors`` lists them; details is the whole error as
    the server sent it.
    """

    def __init__(self, message, details=None):
        super().__init__(message)
        self.message = message
        self.details = details or {}
        self.codes = self.details.get("codes", [])


class Mistake(Error):
    """A mistake in a statement: a word, a name or a value that is wrong.

    line and column are its position, from 1 (None where it has none), end_line and end_column
    that behind it. nearest is the known name that is most like what was found, and remedy what to do;
    both may be None. str() shows the line with a mark below it.
    """

    def __init__(self, message, details, statement=""):
        super().__init__(message, details)
        self.statement = statement
        start, end = details.get("start") or {}, details.get("end") or {}
        self.line, self.column = start.get("line"), start.get("column")
        self.end_line, self.end_column = end.get("line"), end.get("column")
        self.nearest, self.remedy = details.get("nearest"), details.get("remedy")
        self.expected = details.get("expected", [])

    def __str__(self):
        if not self.line or not self.statement:
            return self.message
        lines = self.statement.split("\n")
        if self.line > len(lines):
            return self.message
        line = lines[self.line - 1]
        width = self.end_column - self.column if self.end_line == self.line else len(line) - self.column + 1
        return f"{self.message}\n  {line}\n  {' ' * (self.column - 1)}{'^' * max(1, width)}"


class NotFound(Mistake):
    """A graph, an embedding, a vertex or another object that the file does not have."""


class LimitError(Error):
    """A statement that needs more memory, rows or statements at once than the server allows."""


class Cancelled(Error):
    """A statement that was cancelled, by its client or because the server stops."""


class TimedOut(Error, TimeoutError):
    """A statement that took longer than its deadline or the limit of the server."""


class Lost(Error, ConnectionError):
    """The server has ended, or was killed, before the answer was complete."""


def of(details, statement):
    """The exception for an error of the server."""
    message, codes = details.get("message", ""), details.get("codes", [])
    for code, kind in (
        ("context.DeadlineExceeded", TimedOut), ("remote.ErrStopped", Cancelled), ("context.Canceled", Cancelled),
        ("fault.ErrLimit", LimitError), ("remote.ErrBusy", LimitError),
    ):
        if code in codes:
            return kind(message, details)
    if "storage.ErrNotFound" in codes:
        return NotFound(message, details, statement)
    if details.get("kind") in ("mistake", "syntax"):
        return Mistake(message, details, statement)
    return Error(message, details)
