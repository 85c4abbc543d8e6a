// Package file implements the operations on the file of a store that differ
// between operating systems: locks and their holders, the sizes of the map,
// network file systems, reading ahead, owners of replaced files. It does not
// depend on the content of the file.
package file
