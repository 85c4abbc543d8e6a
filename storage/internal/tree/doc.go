// Package tree keeps records in the buckets of one bbolt file, verified. It knows a record by its
// bytes: what a graph, an embedding or an index is, packages graphs and storage know. Beside
// package page it is the only one that reads the pages of a file, and with a few calls of package
// storage the only one that uses bbolt.
//
// A Store is the open file: its lock, the openings of bbolt (Handle), the one writer, and what is
// done with a lock that is released while nothing uses the file. View runs a read transaction;
// Update, InTransaction and Change run a write transaction, and Change then frees what it
// discarded.
//
// A Tx is one transaction over the root bucket. It reads and writes records of the catalogue (Get,
// Put, Remove, Each) and parts of objects (Part, OpenPart, Scan), makes objects (NewObject) and
// hands them to the trash (Discard). BlobWriter and BlobReader keep a stream of bytes of any
// length in an object, and the journal names objects that are not finished. WriteBeside keeps one
// in a file of its own.
//
// Three things are verified before bbolt or a caller sees a byte:
//
//	verified.go    the shape of the pages of a bucket, at its first use
//	sums.go        the number and the sum of the records of every bucket, against what the last commit
//	               has written of them
//	references.go  that no object belongs to two entries, before a commit
//
// The checksum of a record is that of package block, and verified by whoever reads the record.
//
// # Files
//
//	part, sums, verified, immutable        buckets, and how they are verified
//	cache                                  what read transactions have decoded
//	tx, objects, readahead, references     a transaction
//	journal, blob, blobrecord, beside      unfinished work, and streams of bytes
//	store, handle, locate, leftovers       the open file, and finding it
//	begin, use, write, upgrade             transactions of a file
//	opening, open, attach, lease           opening it, in a file of its own or in an application's
package tree
