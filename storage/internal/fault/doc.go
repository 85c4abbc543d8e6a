// Package fault holds the errors of the store: the sentinels, the error types that
// name the file and the object, and the conversion of damage into them. It reads
// nothing and imports no other package of the module.
//
// A decoder that finds damage returns a RecordError, which knows neither file nor object.
// The transaction that read the record adds both with Corrupt. Guarded does the same
// for faults of the memory map and for panics over damaged pages.
package fault
