// Package graphtext reads and writes the texts of graphs that have a form of their own. Read line by line (Lines) are
// adjacency lists, square matrices, METIS, Pajek and Matrix Market; read as tokens (Read) are GraphML, GEXF, GML and
// node-link JSON, whose common part is in elements.go.
//
// Lines or tokens come from a feed, and vertices and edges go to a format.Handler; writers take a format.Graph. A
// format has one file, with its reader and its writer. The package does not know lists with a row for each edge, which are
// those of rowtext.
package graphtext
