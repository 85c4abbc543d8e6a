// Package report writes one page of HTML about a heavytail file: for each graph its
// figures, a picture, its degrees, embeddings, the prediction of links, measures and
// communities, and for the file its jobs. The page needs no network and no scripts, is
// light or dark with the reader's system, fits a phone, and can be printed.
//
// report.go has Write, and options.go its options. Each part of a page has a file of its
// own, which calls the typed methods of package query and makes blocks (block.go) of
// pictures and tables (table.go). The template page.html lays the blocks out and escapes every
// text.
// Every figure of the page is a value that the statement returns: the HTML element data
// has the value with all digits.
//
// The same file and options give the same bytes.
package report
