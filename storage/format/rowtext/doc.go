// Package rowtext reads and writes text with a row for each edge or each vertex: lists of edges between blanks, commas or
// other separators, tables of vertices, and CSV, also with Neo4j's headers.
//
// A reader (Lines) takes lines from a feed and passes edges or vertices to a format.Handler; a writer takes a
// format.Graph. Plain lines come split from internal/scan. Of a list of edges, the parser keeps the first lines until
// their types show whether the first one is a header (header.go), and at the end remarks what is unlikely to be a list of
// edges (doubt.go). The package knows no other layout.
package rowtext
