// Package arrow reads and writes Apache Arrow IPC, as files (also called Feather of version 2) and as
// streams. Importing it is enough:
//
//	import _ "heavytail/storage/format/arrow"
//
// A file is written as batches of about 4 MiB or 65,536 rows, of which one is in memory, without
// compression, so that readers can map it. Texts are plain (utf8): a dictionary is before the
// batches that use it, and many readers refuse one that grows in a file, so that a writer would hold all
// texts in memory. Vectors are lists of one length of 32-bit floats. The same rows give the same bytes.
//
// Read are numbers, decimals, truth values, texts and bytes in all forms, dates, timestamps, dictionaries
// that grow or are replaced, and lists of numbers or texts, with buffers that are plain or compressed by
// LZ4 or zstd. Columns of other types are listed with the kind Other, and refused when they are read.
// Bytes in the order of big-endian machines are refused.
//
// A file states sizes in many places. Each is compared with the bytes that are there, or with a limit,
// before memory is allocated by it, and every offset and index of a batch is checked when the batch is
// read. The memory that reading takes is the buffers of the wanted columns in one batch and their
// dictionaries, at most Limits.Memory, and a hundred bytes for each batch of the file.
//
// Source: the specification of the format, https://arrow.apache.org/docs/format/Columnar.html.
package arrow

import "heavytail/storage/format/internal/columnfile"

func init() {
	columnfile.Register(columnfile.Arrow, columnfile.Library{Open: openFile, Create: createFile})
	columnfile.Register(columnfile.ArrowStream, columnfile.Library{Open: openStream, Create: createStream})
}
