package block

import (
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/internal/fault"
)

// Names of the root bucket and of what it holds; the documentation of package storage
// draws the layout.
var (
	RootName       = []byte("heavytail")
	HeaderKey      = []byte("header")
	GraphsName     = []byte("graphs")
	EmbeddingsName = []byte("embeddings")
	ObjectsName    = []byte("objects")
	ChangesName    = []byte("changes")
	JournalName    = []byte("journal")
	TrashName      = []byte("trash")

	// Top buckets that are made when they are needed.
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

	// Buckets that an object has once it needs them.
	AttrsName = []byte("attrs")
	EmptyName = []byte("empty")
)

// TopBuckets are created with the file and never removed.
var TopBuckets = [][]byte{GraphsName, EmbeddingsName, ObjectsName, ChangesName, JournalName, TrashName}

// Format versions. The documentation of package storage has one row per version.
const (
	FormatVersion = 4 // what this code writes
	MinReader     = 4 // the oldest code that can read what this code writes
)

var magic = [8]byte{'h', 'v', 'y', 't', 'a', 'i', 'l', '\n'}

// Limits of the format.
const (
	MaxName     = 255       // bytes of a name
	maxKey      = 1024      // bytes of a vertex key
	MaxVertices = 1<<32 - 2 // the last number stays free to mean "none"

	// MaxBlock bounds key and value of a block. bbolt packs two elements of up
	// to 2,024 bytes into a page of 4,096; a little above half a page, each
	// would take a page of its own and double the file.
	MaxBlock = 2016
)

// Native is the order of bytes of the machine, which bbolt's pages have.
var Native = binary.NativeEndian

// Key64 is v big-endian, so that keys sort by number.
func Key64(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

// Key32 is v big-endian.
func Key32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

// ArcKey is the key of an arc block: its first arc, so that blocks sort by
// source and then by target.
func ArcKey(u, v uint32) []byte {
	return binary.BigEndian.AppendUint32(Key32(u), v)
}

// CheckName reports why a name of a graph or embedding is refused.
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
	return fmt.Errorf("%w %q: %s", fault.ErrKey, fault.Clip(string(key)), reason)
}

// IDOf is the number in the first eight bytes of a key.
func IDOf(key []byte) uint64 { return binary.BigEndian.Uint64(key) }
