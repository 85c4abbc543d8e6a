package query

import (
	methods "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

// the name embedding is a type of this package

// ErrorInfo describes an error that a program can find by errors.Is.
type ErrorInfo struct {
	Name    string // as Go writes it, with its package
	Err     error
	Meaning string // a sentence
	Remedy  string // a clause
}

// Errors lists, by package, the errors of all layers that a program can find by
// errors.Is.
func Errors() []ErrorInfo {
	return []ErrorInfo{
		{"fault.ErrClosed", fault.ErrClosed, "Returned by every call that begins after Close, and by every call of a zero DB.", "open the database again"},
		{"fault.ErrOtherMethod", fault.ErrOtherMethod, "The embedding was recomputed by another method or with other options since the model was trained.", "TRAIN MODEL again"},
		{"fault.ErrInvalid", fault.ErrInvalid, "Wrapped by an Error about a value that is out of range, of the wrong type, or missing.", "correct the value that the message names"},
		{"fault.ErrLimit", fault.ErrLimit, "Wrapped by every LimitError.", "raise the field of Options that the message names, or ask for less"},
		{"fault.ErrNoFiles", fault.ErrNoFiles, "Wrapped if a statement names a file although Options.NoFiles forbids it.", "open the database without Options.NoFiles, or use parameters instead of files"},
		{"fault.ErrOutside", fault.ErrOutside, "Wrapped if a statement names a file outside the folder to which Options.Folder confines files.", "name a file inside of Options.Folder"},
		{"parser.ErrLimit", parser.ErrLimit, "Also wrapped by the Error of a statement that is too long, is too deeply nested or has too many parts.", "split the statement, or pass long lists as a file"},
		{"parser.ErrSyntax", parser.ErrSyntax, "Wrapped by every Error.", "compare the statement with HELP; the message lists what was expected"},
		{"storage.ErrClosed", storage.ErrClosed, "The handle was closed.", "open the store again"},
		{"storage.ErrConflict", storage.ErrConflict, "The object changed while the operation ran.", "run the statement again"},
		{"storage.ErrCorrupt", storage.ErrCorrupt, "The file is damaged.", "CHECK lists the faults; RECOVER copies the undamaged records into a new file"},
		{"storage.ErrExists", storage.ErrExists, "The graph exists, or has edges already.", "choose another name, or drop the object first"},
		{"storage.ErrFailed", storage.ErrFailed, "A commit failed, so the content of the file is not known until it is opened again.", "close the store and open it again"},
		{"storage.ErrInUse", storage.ErrInUse, "The object to drop or rename is in use, by embeddings or models of the graph, a model of the embedding, predictions, or an unfinished job.", "first drop the objects that use it, use CASCADE, or wait for the job"},
		{"storage.ErrInvalid", storage.ErrInvalid, "An argument that the operation cannot take, such as options out of range, a matrix of the wrong shape or a value that is not finite.", "correct the argument that the message names"},
		{"storage.ErrKey", storage.ErrKey, "A vertex key that is empty, too long, not UTF-8 or contains NUL.", "give a key that is not empty, without NUL, and no longer than the message allows"},
		{"storage.ErrLimit", storage.ErrLimit, "The data are beyond a limit of the format.", "import less, or divide the graph"},
		{"storage.ErrLocked", storage.ErrLocked, "Another process, or another handle of this one, has the file open for writing (or has it open at all, when writing was asked for).", "wait until the other process ends, or open for reading only"},
		{"storage.ErrName", storage.ErrName, "A graph or embedding name that is empty, too long, not UTF-8 or has control characters.", "choose a shorter name of printable characters"},
		{"storage.ErrNames", storage.ErrNames, "The file has several names (hard links), of which only one would lead to the file that takes its place.", "remove the other names, or back the file up into a new one"},
		{"storage.ErrNetworkFS", storage.ErrNetworkFS, "The file lies on a network file system, and writing was asked for without Options.AllowNetworkFS.", "copy the file to a local disk"},
		{"storage.ErrNotFound", storage.ErrNotFound, "Matched by every NotFoundError.", "SHOW lists what the file has"},
		{"storage.ErrNotStore", storage.ErrNotStore, "The path is not a heavytail store: a directory, an empty or foreign file, or a bbolt file of another program.", "give the path of a heavytail file"},
		{"storage.ErrReadOnly", storage.ErrReadOnly, "The store was opened for reading only, or the file cannot be opened for anything else.", "open the file for writing"},
		{"storage.ErrReplaced", storage.ErrReplaced, "The path of the store leads to a different file by now, or to none, so that a write would be lost.", "open the path again"},
		{"storage.ErrShared", storage.ErrShared, "A write would have made two entries of the catalogue refer to one object, so that dropping one of them would destroy the other; nothing was written.", "CHECK the file; this is a fault of heavytail, and the statement shows it"},
		{"storage.ErrUnfreed", storage.ErrUnfreed, "The change is complete and on the disk, but the space of what it dropped or replaced could not be freed.", "close the store and open it again for writing, which frees the space"},
		{"storage.ErrVersion", storage.ErrVersion, "The file needs a newer heavytail, or is from before the first release.", "install a newer heavytail; export the graphs of an older file with the version that wrote it"},
		{"atomicfile.ErrCompression", atomicfile.ErrCompression, "Wrapped by the error about a file to be written whose name ends in .bz2, .xz or .zip, which are only read.", "name a file that ends in .gz or .zst, or without compression"},
		{"atomicfile.ErrDamaged", atomicfile.ErrDamaged, "An unfinished file is not what its state says.", "set overwrite := TRUE to begin again"},
		{"atomicfile.ErrExists", atomicfile.ErrExists, "Returned by Create and File.Commit for a path that is taken, unless overwriting was asked for.", "set the option overwrite := TRUE, or choose another name"},
		{"atomicfile.ErrNotRegular", atomicfile.ErrNotRegular, "Returned for a path that is not a regular file: a directory, a device, a pipe or, for writing, a symbolic link.", "name a regular file; '-' is standard input"},
		{"atomicfile.ErrPart", atomicfile.ErrPart, "An earlier run that was stopped has left an unfinished file.", "set resume := TRUE to continue it, or overwrite := TRUE to begin again"},
		{"atomicfile.ErrPartInUse", atomicfile.ErrPartInUse, "Another process is writing this file.", "wait until the other process ends"},
		{"format.ErrDamaged", format.ErrDamaged, "Wrapped by every StreamError: a compressed stream that is truncated, fails its checksum or is not what it claims to be.", "get the file again, or decompress it by hand to see where it ends"},
		{"format.ErrEnding", format.ErrEnding, "Wrapped by every EndingError.", "rename the file, or give the option format"},
		{"format.ErrKey", format.ErrKey, "Wrapped by every KeyError.", "export in a format that can carry the key, such as CSV or JSON"},
		{"format.ErrLibrary", format.ErrLibrary, "Wrapped by the error of reading or writing Parquet or Arrow in a program that does not import heavytail/storage/format/parquet or heavytail/storage/format/arrow.", "add the import that the message names to the program, or use another format"},
		{"format.ErrLimit", format.ErrLimit, "Wrapped by every error that a limit of the options caused.", "raise the option that the message names"},
		{"format.ErrNotFinite", format.ErrNotFinite, "Returned for a vector that holds NaN or an infinity.", "remove the value from the file"},
		{"format.ErrOptions", format.ErrOptions, "Wrapped by every fault that a Validate reports.", "correct the option that the message names"},
		{"format.ErrReader", format.ErrReader, "Wrapped by the error of a read whose io.Reader panicked, or reported more bytes than the buffer has room for.", "repair the io.Reader that the program passes"},
		{"format.ErrSyntax", format.ErrSyntax, "Wrapped by every LineError whose line breaks the format.", "correct the line, or skip such lines with on_error := 'skip'"},
		{"format.ErrValue", format.ErrValue, "Wrapped by every ValueError, and by errors about names of attributes and weights of edges that cannot be written.", "export in a format that can carry the value"},
		{"embedding.ErrCheckpoint", methods.ErrCheckpoint, "Wrapped by the errors of a checkpoint that cannot be read, or is not one of the same computation.", "run the statement again from its beginning"},
		{"embedding.ErrEntries", methods.ErrEntries, "Wrapped by the error of a method whose matrix would have more entries than its option entries allows.", "use fastrp or deepwalk, or raise the option entries"},
		{"embedding.ErrOptions", methods.ErrOptions, "Wrapped by every error of an option that cannot be used; the text names the option, its value and what is allowed.", "correct the option that the message names; HELP and the method list them"},
		{"embedding.ErrState", methods.ErrState, "Wrapped by the errors of a SpectralState that cannot be read.", "EMBED again"},
		{"link.ErrAsymmetric", link.ErrAsymmetric, "The feature has a sign that depends on which vertex comes first.", "correct the value that the message names"},
		{"link.ErrDimension", link.ErrDimension, "There are more vectors than vertices.", "correct the value that the message names"},
		{"link.ErrFeature", link.ErrFeature, "No feature has this name.", "correct the value that the message names"},
		{"link.ErrModel", link.ErrModel, "Not written by WriteTo, or changed since.", "TRAIN MODEL again"},
		{"link.ErrNeedsEmbedding", link.ErrNeedsEmbedding, "The scorer was used without an embedding.", "correct the value that the message names"},
		{"link.ErrNeedsGraph", link.ErrNeedsGraph, "The scorer was used without a graph.", "correct the value that the message names"},
		{"link.ErrNeedsTimes", link.ErrNeedsTimes, "The scorer was used on a graph whose edges have no times.", "import the times of edges, or use another scorer"},
		{"link.ErrNoTerms", link.ErrNoTerms, "Neither a heuristic nor a feature was named.", "correct the value that the message names"},
		{"link.ErrOption", link.ErrOption, "A field of an options struct is out of range.", "correct the value that the message names"},
		{"link.ErrScorer", link.ErrScorer, "No scorer has this name.", "correct the value that the message names"},
		{"link.ErrTooFew", link.ErrTooFew, "Too few links, or too few other pairs.", "use a larger graph, or hide a smaller fraction"},
		{"link.ErrVersion", link.ErrVersion, "The model was written by a later version of heavytail.", "install a newer heavytail, or TRAIN MODEL again"},
		{"evaluate.ErrDegrees", evaluate.ErrDegrees, "Negative, or too few different ones.", "use a graph with more different degrees"},
		{"evaluate.ErrLabels", evaluate.ErrLabels, "Too few vertices or classes, or labels out of order.", "use an attribute with at least two values on several vertices each"},
		{"evaluate.ErrLinks", evaluate.ErrLinks, "Too few edges, or too few pairs without an edge.", "use a graph with more edges"},
		{"evaluate.ErrNegatives", evaluate.ErrNegatives, "The graph has fewer than two pairs of the kind that the option negatives names.", "use another kind of negatives"},
		{"evaluate.ErrOption", evaluate.ErrOption, "A field of an options struct is out of range.", "correct the value that the message names"},
		{"evaluate.ErrShape", evaluate.ErrShape, "The numbers of vectors and vertices differ.", "correct the value that the message names"},
		{"evaluate.ErrTimes", evaluate.ErrTimes, "They are needed to hold out the latest edges.", "import times, or leave out the option latest"},
		{"index.ErrDimension", index.ErrDimension, "A query or matrix of a different shape than required.", "correct the value that the message names"},
		{"index.ErrEpsilon", index.ErrEpsilon, "Edge probability out of range.", "correct the value that the message names"},
		{"index.ErrFormat", index.ErrFormat, "Damaged, truncated or of another kind.", "CREATE INDEX again"},
		{"index.ErrK", index.ErrK, "Number of neighbours.", "correct the value that the message names"},
		{"index.ErrMetric", index.ErrMetric, "Name or number of a metric.", "correct the value that the message names"},
		{"index.ErrMismatch", index.ErrMismatch, "The links belong to a different matrix.", "CREATE INDEX again"},
		{"index.ErrNotFinite", index.ErrNotFinite, "NaN or Inf in a query or a matrix.", "correct the value that the message names"},
		{"index.ErrOption", index.ErrOption, "Parameter of an HNSW.", "correct the value that the message names"},
		{"index.ErrRadius", index.ErrRadius, "NaN, infinite, negative, or radii out of order.", "correct the value that the message names"},
		{"index.ErrVertex", index.ErrVertex, "A number beyond the last vector.", "correct the value that the message names"},
	}
}
