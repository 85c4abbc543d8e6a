// Package storage keeps graphs and their vertex embeddings in one bbolt file.
// With its inner packages it is the only one that knows bbolt and msgpack.
//
// The inner packages, from the lowest to the highest: fault has the errors, page
// verifies pages and file does what depends on the system; block encodes all records,
// and states their bytes per vertex and edge; gather collects what an import reads, in
// bounded memory; rescue salvages the records of a damaged file; tree opens the file and
// has its transactions; graphs reads and edits the records of a graph. This package has
// DB and Tx, embeddings, and one type for all artefacts of graphs: indexes, models,
// predictions and jobs.
//
// # Types
//
// Open returns a DB. Import and PutGraph write graphs, and Update changes vertices, edges
// and attributes in place, in a Tx. Snapshot copies one version of a graph out of the
// file: a csr.Graph and the keys of its vertices; Columns does so for values of
// attributes. Edges of a directed graph have a source and a target: Directed reads them as
// a csr.Directed, and everything else reads its undirected view. PutEmbedding and Embedding write and read the rows of an embedding,
// PutIndex and Index the links of an index over them, PutModel and Model what a model
// of links has learned, PutPredictions and Predicted the likeliest links of every
// vertex. PutJob and PutJobCheckpoint record long work that is not finished. Changes
// reports which vertices changed since a version. Vertex, Neighbors and Keys answer
// single questions without the graph in memory. Check verifies the whole file, Backup
// copies it, Compact rewrites it, Stats measures it, and Recover copies what
// is sound out of a damaged file. Attach opens a DB in the bbolt file of an
// application, and UpdateIn is an Update inside of a transaction of the application.
//
// # Files
//
// A file uses only files above it in this list, and a test fails where files use each other
// in a cycle. Package tree lists its own files: those named below that are not in this
// list are its files, and blocks.go is one of package graphs.
//
//	errors, types, options                          public types
//	db, open, catalog                               an open store, and entries of the catalogue
//	graphs, snapshot, columns, update, values, …    reading and changing graphs
//	stats, storewriter                              what each kind of artefact needs
//	artefact, index, model, prediction, job, …      what is derived from graphs, and dropping it
//	embedding, embedslots, rows, generations, …     embeddings and their rows
//	check                                           verifying the file, by package verify
//	stage, import                                   writing a whole version of a graph
//	copy, maintain, rebuild, recover                writing the file again
//
// # What is stored
//
// Everything lies in one bucket, "heavytail", so that the same layout can lie
// in the file of an application as well. Numbers in keys are big-endian, so that
// the order of bytes is the order of numbers; all others are little-endian.
//
//	heavytail
//	├─ header                                  magic, format, epoch, next id, features
//	├─ graphs      / name                      catalogue entry (msgpack)
//	├─ embeddings  / name                      catalogue entry (msgpack); name@generation where it was replaced
//	├─ objects     / id 8                      one bucket per object, its id never reused
//	│              │   of a version of a graph
//	│              ├─ keys  / first slot 4     block of keys of consecutive slots
//	│              ├─ ids   / first key        block of (key, slot), by key
//	│              ├─ arcs  / source 4 target 4  block of arcs, by source and target
//	│              ├─ attrs / attribute 2 first slot 4  block of values; where there are any
//	│              ├─ empty / first slot 4     block of empty slots; where there are any
//	│              ├─ edgeattrs / attribute 2 source 4 target 4  block of values of edges; where there are any
//	│              │   of a generation of an embedding
//	│              ├─ rows  / first row 4      chunk of rows
//	│              ├─ empty / first slot 4     slots that were empty then; where there were any
//	│              │   of predictions
//	│              ├─ links / slot 4           likeliest links of a vertex
//	│              │   of a stream of bytes
//	│              └─ blob  / number 4         block
//	├─ changes     / graph 8 version 8 part 4  vertices that a version touched
//	├─ indexes     / rows 8 metric             index of the rows of an object (msgpack); where there was ever one
//	├─ models      / name                      model of links (msgpack); where there was ever one
//	├─ predictions / graph 8 scorer            predictions of a graph (msgpack); where there were ever any
//	├─ jobs        / number 8                  job (msgpack); where there was ever one
//	├─ sums        / place                     number and sum of the records of a bucket; see sums.go
//	├─ journal     / kind 1 name               unfinished import, embedding or stream (msgpack)
//	└─ trash       / id 8                      object whose pages are still to be freed
//
// What is in the file names a vertex by its slot, a number given once and never
// again. Without deletions a slot is the number that a Snapshot gives the vertex;
// otherwise that is its rank among the slots that are not empty.
//
// Every record begins with a checksum:
//
//	┌─────────┬───────────────────────────────────────────────┐
//	│ CRC-32C │ payload                                       │
//	└─────────┴───────────────────────────────────────────────┘
//	  over the names of its buckets, its key and its payload
//
//	header  │ magic 8 │ format 4 │ min reader 4 │ epoch 8 │ next id 8 │ created 8 │
//	        │ transaction 8 │ count 8 │ sum 8 │ n 1 │ features
//	sums    │ count 8 │ sum 8 │                                         see sums.go
//	keys    │ flags 1 │ count 2 │ front-coded keys
//	ids     │ flags 1 │ count 2 │ slot │ front-coded key, slot …
//	arcs    │ flags 1 │ count 2 │ delta-varints grouped by source │ directions │ weights │ timestamps
//	attrs   │ type 1  │ count 2 │ runs of slots │ values
//	edgeattrs │ type 1 │ count 2 │ delta-varints grouped by source │ values
//	empty   │ flags 1 │ count 2 │ runs of slots
//	changes │ kind 1  │ count 2 │ delta-varints
//	rows    │ count 4 │ float32 …
//	links   │ slot │ score │ slot …
//	blob    │ bytes
//
// Package block encodes them, and has the bytes of each; blobrecord.go describes streams.
//
// An undirected edge is two arcs, both with its weight and its timestamp. In a directed
// graph the arcs of both directions are stored as well, each with two bits: whether an edge
// leads to its target, and whether one leads back; and with the weights and timestamps of
// these edges. So a row has all edges from and to its vertex, and the undirected view, and
// what reads only arcs need not know the direction. Arcs
// are one ascending list per graph, cut into blocks of up to 2,016 bytes with
// their key, two to a page: a hub is many blocks, and an arc is added to it by
// rewriting one of them. A block has weights only if one of them is not 1, and
// timestamps only if one of its edges has one. A full block becomes two when an
// arc is added, and a small one joins the next (blocks.go). Rows come in
// chunks of a mebibyte whose values are aligned to four bytes in the map.
//
// # Sizes
//
// On the graphs that the tests use, a graph takes 1 to 2 bytes per arc, that is 2 to 4
// bytes per edge, and 8 to 12 bytes per vertex with short decimal keys (each key is
// stored twice, front-coded, once with a number of 3 bytes). Bytes in use by the whole
// file, per edge: 2.8 bytes for blogcatalog, 3.4 for ego-twitter, 5.3 for
// soc-Epinions1, 7.1 for dblp-2010 (2.7 edges per vertex). Weights take 8 bytes per
// edge, and timestamps in seconds 7 to 8: in use by the whole file, per edge, 4.6 bytes
// for sx-mathoverflow, 12.4 with timestamps. A directed graph takes half a byte more for
// each two vertices with an edge between them, and the weights and timestamps of both edges
// where there are two: per directed edge 3.9 bytes for ego-twitter, 4.6 for soc-Epinions1,
// 4.2 for sx-mathoverflow, 11.7 with timestamps, that is 0.9 to 1.2 times those of the
// undirected graph. A change of one edge writes 9 to 14 pages
// of 4 KiB, at a vertex with a million neighbours as at one with two, and after many of
// them blocks are about 70 % full.
//
// Values of attributes take 1 byte for a small integer and for a text if there are few
// distinct ones, 8 for a float, a bit for a boolean, and otherwise the length of the
// text or number; one or two bytes more if most vertices have no value. Names, cities,
// ages and scores of 100,000 people take 7.2 bytes per vertex for the keys and 6.8 per
// value. In memory a Column takes 8 bytes per number, 4 per text of few different ones
// and about 30 per name. A value of an edge takes the bytes of an arc more, as it names its edge: on a
// random graph of five edges per vertex a text of few takes 3.5 bytes, a small integer 3.4, a float 10.6
// and a boolean 2.4. A vertex that is deleted leaves a byte among the keys, its
// share of a run among the empty slots, and 4 bytes in a Snapshot.
//
// Embeddings take 4 bytes per value and 8 per mebibyte, and so does the generation
// before the present one. The state for a refresh is as large as the rows and 24 bytes
// per vertex for methods that walk, and 4 to 12 bytes per vertex for spectral ones. An empty store
// takes 32 KiB. The file grows by a sixteenth of its size (64 KiB to 16 MiB) beyond what
// it needs and never shrinks, except by Compact.
//
// # Transactions
//
// There is one writer at a time, within the process (a lock of the handle) and between
// processes (a lock of the file). Readers never wait for it and it never waits for
// readers: the map is larger than the file. No method leaves a transaction open. Only
// Update and ViewRows, and Check and the copies for their progress, call back into the
// caller's code while one is. Each commit adds one to the epoch in the header.
//
// Update is one transaction: its changes are in memory until the commit, and every
// block that they touch is rewritten once per call. On two shared cores, with a disk
// whose flushes cost nothing, a single edge takes half a millisecond; batches of
// 100,000 in a graph of a million edges reach 150,000 edges a second and more. A value
// of a vertex takes 0.2 ms, and 100,000 new vertices with four attributes take 0.2 s.
// Columns reads 45 to 55 million values a second, and 2 million of texts that are all
// different.
//
// Work of many records is written in batches into an object to which only the
// journal refers, in the same transaction as the journal's position. The last
// batch makes the catalogue point at the new object, logs the change and puts
// the old object into the trash, in one transaction. Then the trash is freed.
//
// # Rows in the map
//
// ViewRows lets a search read the rows in the map of the file, without copying them.
// The first scan of an object verifies its checksums and values and takes a fifth of
// the time of a copy. The result is remembered until the file is closed or compacted,
// and later scans take a fifteenth. A compaction leaves the old file open until the
// last scan of it has ended. Where rows are not aligned, and on machines of the other
// byte order, they are copied a chunk at a time.
//
// # Opening
//
// Opening a file for reading takes bbolt no time, but for writing it reads all of it to
// find the free pages, and every page must be verified before bbolt follows it. So a
// store opens bbolt for reading, makes its lock an exclusive one if it is to be
// written, and walks over the catalogue. The pages of each part of an object are walked at
// its first use (verified.go); of parts whose records never change, only the pages on the
// way to the records that a search reads (immutable.go); and the whole tree before the first
// write, when bbolt opens the file a second time, under the same lock (upgrade.go): a lock
// of flock belongs to the open file, of which both openings have a descriptor. Readers
// continue on the first opening meanwhile (use.go). On 0.5 GB of edges, with two busy cores: 0.2 ms to open,
// 6 ms with an empty page cache; 0.6 s per gigabyte before the first write, 2 s with an
// empty cache. On systems without flock all of it is done by Open.
//
// A file on a network file system is refused for writing (ErrNetworkFS), and so is a
// write to a file that is no longer under its name (ErrReplaced), because Compact or a
// person has put another file in its place.
//
// # Idle files
//
// A store keeps its file locked from Open to Close. With Options.ReleaseIdle it keeps
// the lock from the beginning of a use until 0.3 s later, or until the end of a longer
// use. In between other processes can open the file for reading and writing (lease.go).
// Calls of one store that overlap are one use. Whoever makes several calls and must see
// no change between them calls Hold; methods of several transactions do so themselves.
// If another process uses the file, a call waits for Options.LockTimeout and then fails
// with ErrLocked, which names the process if the system shows it.
//
// Only the lock is released; the file and its map stay open and are not read. After the
// lock was taken again, the file is compared with its state at the release: identity,
// size, time of modification, and meta page. If nothing changed, the store continues
// with everything that it knows of the file (0.14 ms with the first read, for half a
// gigabyte on a busy machine). If something changed, the file is opened as by Open (66
// ms there) and what was verified is forgotten, so that the next write verifies the
// whole tree again (1.6 s there). It also discards what a killed process left.
//
// By then another file may have the name. If it is a copy of the same store, from a
// compaction, a recovery or a backup, it is used instead; Epoch is smaller if the copy
// is older. Another store, or no file, is ErrReplaced; any other file gives the error
// that Open gives. The next use tries again. The space of a file that lost its name is
// free once every process that had it open has used its store again or closed it.
//
// # Copies
//
// Backup and Compact copy the records of one read transaction, each
// with its checksum verified, into a new file whose pages are filled to the end,
// and read it back before it gets its name (storewriter.go, copy.go). Compact opens and locks
// the new file before the rename. Recover salvages records with plain reads
// and puts damaged graphs together from what is left of them (package rescue), stores
// these (rebuild.go), and makes the result pass Check (recover.go).
//
// # What survives a crash
//
//	killed                              the file holds
//	while a file is made                nothing, or a whole empty store; perhaps a file .name.*.new next to it
//	before the first batch of an import what it held before
//	between two batches                 what it held before; the same import, run again, continues from there,
//	                                    and another import of the graph discards what was written
//	after the last batch                the new version, whole
//	while an embedding is written       the old generation; the next open for writing discards the new one
//	after the last chunk                the new generation, whole
//	while an index is written           the one before, if any; the next open for writing discards the new one
//	while a model is written            the same
//	while predictions are written       the same
//	while a checkpoint is written       the one before; the next open for writing discards the new one, which
//	                                    is a file .name.*.checkpoint next to it (see Files beside)
//	during an Update                    what it held before, or all of what the update did
//	while the trash is freed            everything; the next open for writing continues
//	during a compaction                 the old file or the new one, whole; perhaps a file .name.*.compact
//	                                    next to it, which the next open for writing removes
//	during a backup or recovery         what it held before, and the new file whole or not at all; perhaps
//	                                    a file .name.*.backup or .name.*.recover next to it, which the next
//	                                    backup or recovery to the same path removes
//
// The same holds for a loss of power, as far as the disk keeps what it has
// confirmed: bbolt flushes the pages of a transaction before the meta page that
// shows them. After a commit that failed, its outcome is unknown; the handle
// then refuses to write (ErrFailed) until the file is opened again. If the commit only
// was to free the space of what an operation has dropped, the operation is complete, and
// its error (ErrUnfreed) says so.
//
// A nil context is one that never ends.
//
// # Files beside
//
// Only checkpoints of jobs are not in the file: pages that they leave would stay free in it
// until Compact. Each is a file of its own in the folder of the store, which is made and
// flushed before the commit that makes the record of the job name it, and removed after a
// commit that makes the record name another one or none. So a copy of the file alone, which a
// Backup is, has the jobs without them, and a file that gets another name loses them: such a
// job has no checkpoint, and starts over. Opening for writing removes those that no record
// names; whoever has the lock of the file knows that no process is writing one. In a folder
// that cannot be written, checkpoints are streams in the file.
//
// # Damage
//
// bbolt checks nothing but its two meta pages. So Open reads these itself and compares
// them with the size of the file, and bbolt follows no part of the tree whose shape was
// not verified with plain reads (package page): every bit of the headers and tables of
// its pages is checked. The walk also adds up the records, by key and checksum, and
// compares the sum with what the last commit has stated of the bucket (sums.go),
// so that a lost page, or an old version of a page, is found although all its records
// are sound. A file with damage below the catalogue is opened: what is sound can be
// read, the rest is ErrCorrupt, and so is every write. Reads of the map run with faults
// turned into errors (package fault); every record is verified by its checksum; every
// decoder allocates no more than the bytes that it reads justify, and msgpack, whose
// decoder does not, is scanned before it is decoded. A damaged or hostile file gives
// ErrCorrupt, never a crash, a hang or a wrong answer. (In an application's file the
// shape of the tree is not verified; see Attach.) If the newer meta page is damaged,
// bbolt uses the older one, and the last commit is undone: Notices and Check report the
// damage. If the disk confirmed the newer meta page but never wrote it, the file holds
// the whole state before; Check then finds the later state among the free pages until
// they are used again, and a caller who remembers Epoch notices it.
//
// # What later versions read
//
// From the first release on, every version opens, reads and writes the files of all releases
// before it, and none needs a step in between. A file that needs a newer reader, or has a feature
// that the code does not know, is refused (ErrVersion) and not touched; so is a file from before
// the first release (format 4 and lower). The first bytes of the header (checksum, magic, format,
// min reader) never move.
//
// What is new is added as a feature: a name in the header, which the first commit that needs it
// writes, so that a file without it stays readable by older versions. The code that knows a
// feature lists it in package block (knownFeatures), adds its row to the table below, decodes
// files without it as before, and keeps a small file written by the release before in testdata,
// which a test opens, changes and checks. The format itself rises only where a record that every
// file has changes its bytes; then the old decoder stays, and the first commit rewrites what it
// touches.
//
//	format  min reader  features         change
//	5       5           –                the first of a release
//	5       5           directed         directed graphs
//	5       5           edge attributes  values of attributes of edges
package storage
