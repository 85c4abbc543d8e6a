"""Graphs, embeddings and link prediction in one file, by the command heavytail.

    import heavytail

    with heavytail.open("social.ht") as db:
        db.import_networkx(graph, "social")
        db.embed("social", "spec", "dp_spectral", dim=64)
        for vertex, distance in db.nearest("spec", "alice", 10):
            print(vertex, distance)
        frame = db.query("SHOW VERTICES IN social WHERE degree > $d", d=5).df()

``open`` uses the server that has the file open (``heavytail serve``), or starts one, which ends with
this program. While it runs, other programs, ``heavytail exec`` and the shell use the same file. The
command must be in the PATH, or the environment variable HEAVYTAIL names it. Needs Linux, macOS or
another system with Unix sockets, and only the standard library of Python 3.9 or later; numpy, pandas
and networkx are used where a method returns their types.

A Database has a method for most statements, whose help() is that of the statement; ``query`` runs any
statement of ``heavytail help``. What methods get becomes a name in quotes or a parameter. With ``query`` a
value of the user belongs in a parameter, ``$name`` in the statement, and not in its text.
"""

from .database import Database, connect, open
from .errors import Cancelled, Error, LimitError, Lost, Mistake, NotFound, TimedOut
from .language import Call, Where
from .table import Picture, Table

__all__ = [
    "Call", "Cancelled", "Database", "Error", "LimitError", "Lost", "Mistake", "NotFound", "Picture", "Table", "TimedOut", "Where", "connect", "open",
]
