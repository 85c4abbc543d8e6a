// Package picture makes the charts and networks of package figure from a database: it
// queries the data of a picture, selects as much as there is room for, and reports
// what it left out. The command plot and the page of package report draw the same
// pictures.
//
// The same graph, options and seed give the same picture.
package picture
