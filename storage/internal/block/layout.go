package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/internal/fault"
)

// Names of the root bucket and of its contents; the documentation of package storage shows the
// layout.
var (
	RootName       = []byte("heavytail")
	HeaderKey      = []byte("header")
	GraphsName     = []byte("graphs")
	EmbeddingsName = []byte("embeddings")
	ObjectsName    = []byte("objects")
	ChangesName    = []byte("changes")
	JournalName    = []byte("journal")
	TrashName      = []byte("trash")

	// Top buckets that are created when they are first needed.
	JobsName    = []byte("jobs")
	IndexesName = []byte("indexes")
	ModelsName  = []byte("models")

	PredictionsName = []byte("predictions")
	SumsName        = []byte("sums")

	// Buckets of the object of a graph and of that of an embedding.
	KeysName = []byte("keys")
	IDsName  = []byte("ids")
	ArcsName = []byte("arcs")
	RowsName = []byte("rows")

	// Bucket of the object of a blob.
	BlobName = []byte("blob")

	// Bucket of the object of predictions.
	LinksName = []byte("links")

	// Buckets that an object gets when it first needs them.
	AttrsName     = []byte("attrs")
	EmptyName     = []byte("empty")
	EdgeAttrsName = []byte("edgeattrs")
)

// TopBuckets are created with the file and never removed.
var TopBuckets = [][]byte{GraphsName, EmbeddingsName, ObjectsName, ChangesName, JournalName, TrashName}

// Format versions. The documentation of package storage has one row per version.
const (
	FormatVersion = 5 // what this code writes
	MinReader     = 5 // the oldest code that can read what this code writes
	OldestFormat  = 5 // the oldest that this code reads
)

var magic = [8]byte{'h', 'v', 'y', 't', 'a', 'i', 'l', '\n'}

// Limits of the format.
const (
	MaxName     = 255       // bytes of a name
	maxKey      = 1024      // bytes of a vertex key
	MaxVertices = 1<<32 - 2 // the last number stays free to mean "none"

	// MaxBlock is the largest size of a block's key and value together. bbolt puts two elements
	// of up to 2,024 bytes into a page of 4,096; an element a little larger than half a page
	// would need its own page, which doubles the size of the file.
	MaxBlock = 2016
)

// Native is the byte order of the machine, which bbolt uses in its pages.
var Native = binary.NativeEndian

// Key64 returns v in big-endian order, so that keys sort by number.
func Key64(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

// Key32 returns v in big-endian order.
func Key32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

// ArcKey returns the key of an arc block: its first arc, so that blocks sort by source and then
// by target.
func ArcKey(u, v uint32) []byte {
	return binary.BigEndian.AppendUint32(Key32(u), v)
}

// CheckName returns an error if a graph or embedding cannot have the name.
func CheckName(kind, name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "empty"
	case len(name) > MaxName:
		reason = fmt.Sprintf("longer than %d bytes", MaxName)
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
	return fmt.Errorf("%s name %q: %w: %s", kind, fault.Clip(name), fault.ErrName, reason)
}

// checkKey returns an error if a vertex cannot have the key.
func checkKey(key []byte) error {
	var reason string
	switch {
	case len(key) == 0:
		reason = "empty"
	case len(key) > maxKey:
		reason = fmt.Sprintf("longer than %d bytes", maxKey)
	case !utf8.Valid(key):
		reason = "not valid UTF-8"
	case bytes.IndexByte(key, 0) >= 0:
		reason = "contains NUL"
	default:
		return nil
	}
	return fmt.Errorf("%w %q: %s", fault.ErrKey, fault.Clip(string(key)), reason)
}

// IDOf returns the number in the first eight bytes of a key.
func IDOf(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// OneIf returns 1 for true and 0 for false.
func OneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
