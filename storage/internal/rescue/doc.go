// Package rescue salvages the records of a damaged store. It uses plain reads, expects
// damage everywhere, and writes nothing itself.
//
// Open finds the buckets of the store, through either meta page or, if neither leads to
// them, by searching all pages. Run copies every record whose checksum is right into a
// Sink, under its own bucket and key. The Tables of the catalogue determine which
// objects belong to the store; package storage has one Table for each kind of records.
// Losses has a line for each place with a loss. RemainsOf rebuilds a graph from its
// remaining records.
//
// Package storage opens the new file, replaces the damaged graphs by their remains, and
// makes the result pass its Check.
package rescue
