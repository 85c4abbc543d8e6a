// Package graphs reads and edits the records of one graph in a transaction of package tree: its
// catalogue entry (Record), the keys of its vertices, its arcs, and the values of its attributes.
// It knows no type that callers of the store see, and no other artefact.
//
// The lists of keys, ids, arcs and values are kept in blocks (package block); an edit rewrites the
// blocks of the entries that it changes. Vertices are slots here: a vertex that was deleted leaves
// an empty one, and Contents numbers those that are left.
package graphs
