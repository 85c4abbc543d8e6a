// Package rescue salvages the records of a damaged store. It uses plain reads, expects
// damage everywhere, and writes nothing itself.
//
// Open finds the buckets of the store, through either meta page or, where neither leads
// to them, on any page. Run copies every record whose checksum is right into a Sink,
// under its own bucket and key. The Tables of the catalogue say which objects belong to
// the store: package storage has one for each kind of records. Losses has a line for
// each place where something is lost. RemainsOf puts a graph together from those of its
// records that are left.
//
// Package storage opens the new file, replaces the damaged graphs by their remains, and
// makes the result pass its Check.
package rescue
