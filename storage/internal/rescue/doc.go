// Package rescue salvages the records of a damaged store. It reads with plain reads and
// expects damage everywhere; it writes nothing itself.
//
// Open finds the buckets of the store, through either meta page or, where neither leads
// to them, on any page. Run copies every record whose checksum is right into a Sink, under
// its own bucket and key. Which objects belong to the store the Tables of the catalogue
// say: package storage describes each of its kinds of records by one. Losses has a line
// for each place where something is lost. RemainsOf puts a graph together from those of
// its records that are left.
//
// Package storage opens the new file, replaces the damaged graphs by their remains, and
// makes the result pass its Check.
package rescue
