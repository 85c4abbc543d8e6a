// Package cells makes tables of rows: the cells of values, and the types of columns by their names.
package cells
