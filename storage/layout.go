package storage

import (
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Names of the root bucket and of what it holds; doc.go draws the layout.
var (
	rootName       = []byte("heavytail")
	headerKey      = []byte("header")
	graphsName     = []byte("graphs")
	embeddingsName = []byte("embeddings")
	objectsName    = []byte("objects")
	changesName    = []byte("changes")
	journalName    = []byte("journal")
	trashName      = []byte("trash")

	// Top buckets that are made when they are needed.
	jobsName    = []byte("jobs")
	indexesName = []byte("indexes")
	modelsName  = []byte("models")

	predictionsName = []byte("predictions")

	// Buckets of the object of a graph and of that of an embedding.
	keysName = []byte("keys")
	idsName  = []byte("ids")
	arcsName = []byte("arcs")
	rowsName = []byte("rows")

	// Bucket of the object of a blob.
	blobName = []byte("blob")

	// Bucket of the object of predictions.
	linksName = []byte("links")

	// Buckets that an object has once it needs them.
	attrsName = []byte("attrs")
	emptyName = []byte("empty")
)

// topBuckets are created with the file and never removed.
var topBuckets = [][]byte{graphsName, embeddingsName, objectsName, changesName, journalName, trashName}

// Format versions. doc.go has one row per version.
const (
	formatVersion = 4 // what this code writes
	minReader     = 4 // the oldest code that can read what this code writes
)

var magic = [8]byte{'h', 'v', 'y', 't', 'a', 'i', 'l', '\n'}

// Limits of the format.
const (
	maxName     = 255
	maxKey      = 1024
	maxVertices = 1<<32 - 2 // the last number stays free to mean "none"

	// maxBlock bounds key and value of a block. bbolt packs two elements of up
	// to 2,024 bytes into a page of 4,096; a little above half a page, each
	// would take a page of its own and double the file.
	maxBlock = 2016
)

func be64(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

func be32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

// arcKey is the key of an arc block: its first arc, so that blocks sort by
// source and then by target.
func arcKey(u, v uint32) []byte {
	return binary.BigEndian.AppendUint32(be32(u), v)
}

// checkName reports why a name of a graph or embedding is refused.
func checkName(kind, name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "empty"
	case len(name) > maxName:
		reason = fmt.Sprintf("longer than %d bytes", maxName)
	case !utf8.ValidString(name):
		reason = "not valid UTF-8"
	default:
		for _, r := range name {
			if unicode.IsControl(r) {
				reason = fmt.Sprintf("control character %U", r)
				break
			}
		}
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("storage: %s name %q: %w: %s", kind, clip(name), ErrName, reason)
}

// checkKey reports why a vertex key is refused.
func checkKey(key []byte) error {
	reason := ""
	switch {
	case len(key) == 0:
		reason = "empty"
	case len(key) > maxKey:
		reason = fmt.Sprintf("longer than %d bytes", maxKey)
	case !utf8.Valid(key):
		reason = "not valid UTF-8"
	default:
		for _, c := range key {
			if c == 0 {
				reason = "contains NUL"
				break
			}
		}
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%w %q: %s", ErrKey, clip(string(key)), reason)
}

// clip shortens a text that goes into an error.
func clip(s string) string {
	if len(s) <= 80 {
		return s
	}
	return s[:80] + "…"
}

func bytesToID(key []byte) uint64 { return binary.BigEndian.Uint64(key) }
