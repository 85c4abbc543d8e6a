// Package report writes what a heavytail file has as one page of HTML: of each graph its
// figures, a picture, its degrees, embeddings, the prediction of links, measures,
// communities, and of the file its jobs. The page needs no network and no scripts, is light
// or dark with the reader's system, fits a phone, and can be printed.
//
// report.go has Write, and options.go what it takes. Each part of a page has a file, which
// asks the database by the typed methods of package query, and makes blocks (block.go) of
// pictures and tables (table.go). page.html lays the blocks out and escapes every text.
// A figure in the page is the one that the statement returns: the element data has it with
// all digits.
//
// The same file and options give the same bytes.
package report
