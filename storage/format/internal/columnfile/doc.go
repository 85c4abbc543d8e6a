// Package columnfile has the interface between the formats of graphs and a library of files
// whose rows are stored by column, such as Parquet: the kinds of columns, readers and writers of
// rows, and faults. It knows nothing of graphs, and reads no file itself.
//
// A library is large, so programs choose it by an import, as they do the formats of the package
// image: heavytail/storage/format/parquet and heavytail/storage/format/arrow register themselves.
package columnfile
