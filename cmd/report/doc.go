// Package report writes what a heavytail file has as one page of HTML: of each graph its
// figures, a picture, its degrees, embeddings, the prediction of links, measures,
// communities, and of the file its jobs. The page needs no network and no scripts, is light
// or dark with the reader's system, fits a phone, and can be printed.
//
// report.go has Write and its Options; each part of a page has a file of its name, which
// asks the database by the typed methods of package query and makes blocks of pictures and
// tables; page.html lays the blocks out, and escapes every text. Tables are the rows of
// statements, so that a figure in the page is the one that the statement returns: the
// element data has it with all digits.
//
// The same file and options give the same bytes.
package report
