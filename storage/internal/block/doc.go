// Package block encodes the data of a store: records and their checksums, the header, the names
// of buckets, and the blocks into which lists of keys, arcs, values, empty slots, changes,
// links and rows are divided. It works on bytes and does not use bbolt, transactions or the
// catalogue; package storage reads and writes the records, and package rescue recovers them
// from damaged files.
//
// # Records
//
// A record is one value of a bucket: a CRC-32C over the names of its buckets, its key and its
// payload, followed by the payload (see Seed). The payload of an entry of the catalogue is
// msgpack, which is checked before it is decoded (DecodeStruct); all other payloads are fixed
// binary formats. Every decoder expects that bytes with a correct checksum may still be
// hostile: it returns fault.Record, allocates no more memory than the existing bytes justify,
// and accepts only one encoding of each content.
//
// # Lists
//
// A List is an ascending list of entries in blocks of at most MaxBlock bytes, two to a page. A
// change rewrites only the blocks of the changed entries. There is one List for each kind of
// entry: KeyList, IDList, ArcList, SlotList and ValueList.
//
// # Bytes in the file
//
// The figures for keys, arcs and weights were measured on the graphs of the tests, without the
// tree above the blocks, which adds one to two per cent. A block has 7 bytes and its key in
// addition to its entries, which take about 2,000 bytes.
//
//	keyblock.go   keys and ids    8 to 12 bytes per vertex with short decimal keys, in both lists together;
//	                              a longer key takes what it does not share with the one before, twice
//	arcblock.go   arcs            1 to 2 bytes per arc, 2 to 4 per edge
//	              directions      2 bits per arc of a directed graph
//	              weights         4 bytes per arc, 8 per edge, in blocks where one is not 1
//	              timestamps      3 to 4 bytes per arc, 7 to 8 per edge, in seconds
//	attrblock.go  values          1 byte for a text of few and a small integer, 8 for a float, a bit for a boolean;
//	                              1 to 2 more for a value of an edge, which names its edge
//	slots.go      empty slots     2 to 10 bytes per run of consecutive slots
//	changelog.go  changes         27 bytes per version, and 1 to 5 per vertex that it touched
//	links.go      likely links    9 to 13 bytes per link, 8 per vertex
//	rowchunk.go   rows            4 bytes per value, 12 per mebibyte
//	sums.go       sums            20 bytes and the place, per bucket
//
// # Bytes in memory
//
//	KeySet        8 bytes per key in addition to the keys
//	KeyTable      21 to 43 bytes per key of up to 8 bytes, 11 to 21 per longer one
//	Interner      both, and up to 32 bytes per key for decimal numbers
//	SlotMap       4 bytes per empty slot
//	Column        a bit per vertex, and 8 bytes per number, a bit per boolean, or 4 per text and
//	              8 per distinct text in addition to its bytes
//	RowBuilder    the graph: 8 bytes per vertex, 4 per arc; 4 more for weights, 8 for timestamps;
//	              and 48 bytes per block; of a directed graph a byte per arc more, and twice the weights and timestamps
package block
