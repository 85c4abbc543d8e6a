package feed

import (
	"bytes"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/fault"
)

// binaryFiles are files that are no texts but are handed in as such, by their first bytes. Some of
// them would pass as comments.
var binaryFiles = []struct{ magic, name, advice string }{
	{"SQLite format 3\x00", "a SQLite database", "; export a table of edges as CSV"},
	{"\x89PNG\r\n", "a picture (PNG)", ""}, {"\xff\xd8\xff", "a picture (JPEG)", ""}, {"GIF87a", "a picture (GIF)", ""}, {"GIF89a", "a picture (GIF)", ""},
	{"%PDF-", "a PDF document", ""},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word document", "; save the sheet as CSV"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", ""}, {"CDF\x01", "a NetCDF file", ""}, {"MATLAB 5.0 MAT-file", "a MATLAB file", ""},
	{"\x93NUMPY", "a matrix of numpy", "; IMPORT EMBEDDING reads vectors from it"},
	{"FEA1\x00", "a Feather file of version 1", "; write version 2 or Parquet"}, {"ORC\x11", "an ORC file", "; write Parquet"}, {"Obj\x01", "an Avro file", "; write Parquet"},
	{"RDX2\nX\n", "a workspace of R", "; write.csv writes its tables"}, {"RDX3\nX\n", "a workspace of R", "; write.csv writes its tables"}, {"X\n\x00\x00\x00", "an object of R", "; write.csv writes its tables"},
	{"\x7fELF", "a program", ""},
}

// otherTexts are texts that a download or another program leaves where a file of data is expected,
// by their first bytes in lower case. As lists of words they would be edges.
var otherTexts = []struct{ start, name, advice string }{
	{"<!doctype html", "a web page", "; the download may have failed"},
	{"<html", "a web page", "; the download may have failed"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS", "; git lfs pull fetches the file"},
	{"nodedef>", "a graph of GUESS (GDF)", "; Gephi writes it as GEXF"},
	{"\"export-world data", "a world of NetLogo", "; write its table of links as a file of its own"},
	{"leda.graph", "a graph of LEDA", ""},
	{"@relation", "a table of Weka (ARFF)", "; write it as CSV"},
}

// binaryFault names a binary file, a text of another kind, or a text that is not UTF-8, by the first
// block of it.
func binaryFault(text []byte) fault.Fault {
	for _, f := range binaryFiles {
		if bytes.HasPrefix(text, []byte(f.magic)) {
			return fault.Syntax(0, "this is %s, and no text%s", f.name, f.advice)
		}
	}
	const longest = 64 // more than any start has
	start := bytes.TrimLeft(text, " \t\r\n")
	start = bytes.ToLower(start[:min(len(start), longest)])
	for _, f := range otherTexts {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return fault.Syntax(0, "this is %s, which is not read%s", f.name, f.advice)
		}
	}
	const tar = 257 // where a tar archive has its magic number
	switch {
	case len(text) > 2 && text[0] == 0x80 && text[1] >= 2 && text[1] <= 5:
		return fault.Syntax(0, "this is a pickle of Python, and no text; networkx.write_graphml writes a graph, and DataFrame.to_csv a table")
	case len(text) > tar && bytes.HasPrefix(text[tar:], []byte("ustar")):
		return fault.Syntax(0, "this is a tar archive, and no text; unpack it")
	case zerosAlternate(text):
		return fault.Syntax(0, "the text seems to be UTF-16 without a byte order mark; convert it to UTF-8")
	}
	return fault.Fault{}
}

// zerosAlternate reports whether every second one of the first bytes is zero, and no other, as in
// ASCII that is written as UTF-16.
func zerosAlternate(text []byte) bool {
	const enough = 8
	if len(text) < enough {
		return false
	}
	for first := range 2 {
		alternate := true
		for i, c := range text[:enough] {
			alternate = alternate && (c == 0) == (i%2 == first)
		}
		if alternate {
			return true
		}
	}
	return false
}

// RefuseBinary is binaryFault as an error of a whole input.
func RefuseBinary(text []byte, name string) error {
	if f := binaryFault(text); f.Found() {
		return &format.LineError{File: name, Line: 1, Column: 1, Reason: f.Reason, Kind: format.ErrSyntax}
	}
	return nil
}
