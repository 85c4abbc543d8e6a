// Package picture makes the charts and networks of package figure from a database: it
// asks for what a picture shows, chooses what there is room for, and says what it left
// out. The command plot and the page of package report draw the same pictures.
//
// The same graph, options and seed give the same picture.
package picture
