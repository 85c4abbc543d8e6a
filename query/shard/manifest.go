package shard

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"heavytail/storage/format"
	"heavytail/storage/format/dataset"
)

// version is the form of the folder.
const version = 6

const parquetEnding = ".parquet"

func isParquet(path string) bool { return filepath.Ext(path) == parquetEnding }

// MaxShards is the largest number of shards of a plan.
const MaxShards = 100_000

// Manifest is a plan: a statement that is divided into shards. It is safe for concurrent
// use.
type Manifest struct {
	Format    int              `json:"format"`           // 6
	Statement string           `json:"statement"`        // in the language, with what it would read and write alone
	Output    string           `json:"output"`           // the file of the statement, which Merge writes if it is given no other; "" for MergeInto and Answer
	Kernel    string           `json:"kernel"`           // vec.Kind() of the machine that planned
	Reads     []Source         `json:"reads"`            // what the rows follow from
	Text      string           `json:"text,omitempty"`   // name of the text in the folder input of which the shards read pieces; "" if each has a file of its own
	Inputs    string           `json:"inputs,omitempty"` // ending of the other files in the folder input: .parquet, or "" for .csv
	Shards    []Input          `json:"shards"`
	Data      *dataset.Content `json:"data,omitempty"` // what is in the folder data; nil if shards need the heavytail file
	Checksum  string           `json:"checksum"`       // SHA-256 of all the other fields

	dir      string
	work     divisible // the statement
	contents *contents // that this process has read
}

// Source is an object of a heavytail file on which the rows of a statement depend.
type Source struct {
	Kind string `json:"kind"` // graph, embedding, model or index
	Name string `json:"name"`
	// State changes whenever the rows may change: it has the version of a graph or the
	// generation of an embedding, and the time when it was made.
	State string `json:"state"`
	// Content distinguishes files in which objects of one name, version and time differ, such
	// as copies of a file that went different ways.
	Content Content `json:"content,omitzero"`
}

// same reports whether two sources have one name and one state; their content may differ.
func (s Source) same(other Source) bool {
	return s.Kind == other.Kind && s.Name == other.Name && s.State == other.State
}

// Input is the input of one shard: the rows of the statement from the number First on.
type Input struct {
	First  int64  `json:"first"` // from 0
	Rows   int64  `json:"rows"`
	Offset int64  `json:"offset,omitempty"` // of its piece in Manifest.Text
	Bytes  int64  `json:"bytes,omitempty"`  // size of the piece, or of its file in the folder input, if there is one
	CRC32C string `json:"crc32c,omitempty"` // its checksum
}

// part is the state of a finished group of shards, without its rows.
type part struct {
	Plan    string  `json:"plan"` // Manifest.Checksum
	Bytes   int64   `json:"bytes"`
	CRC32C  string  `json:"crc32c"`
	Seconds float64 `json:"seconds"`
}

func newManifest(dir string) *Manifest {
	return &Manifest{dir: dir, contents: &contents{seen: map[contentKey]Content{}}}
}

// Open reads the plan of a folder. If there is no plan, the error wraps
// fs.ErrNotExist; if the manifest was changed, it wraps ErrDamaged, and if it has a different
// version, ErrVersion.
func Open(dir string) (*Manifest, error) {
	m := newManifest(dir)
	if err := readJSON(m.path(), m); err != nil {
		return nil, err
	}
	switch sum, err := m.sum(); {
	case err != nil:
		return nil, err
	case m.Format != version:
		return nil, fmt.Errorf("%s has format %d, expected %d; plan again into a new folder, or use the heavytail that planned it: %w", m.path(), m.Format, version, ErrVersion)
	case sum != m.Checksum:
		return nil, fmt.Errorf("%s was changed after it was written; restore it, or plan again into a new folder: %w", m.path(), ErrDamaged)
	}
	var err error
	if m.work, _, err = divide(m.Statement); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path(), err)
	}
	return m, nil
}

func (m *Manifest) sum() (string, error) {
	other := *m
	other.Checksum = ""
	text, err := json.Marshal(other)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

func (m *Manifest) path() string    { return filepath.Join(m.dir, "manifest.json") }
func (m *Manifest) inputs() string  { return filepath.Join(m.dir, "input") }
func (m *Manifest) outputs() string { return filepath.Join(m.dir, "parts") }
func (m *Manifest) data() string    { return filepath.Join(m.dir, "data") }
func (m *Manifest) text() string    { return filepath.Join(m.inputs(), m.Text) }
func (m *Manifest) input(shard int) string {
	return filepath.Join(m.inputs(), one(shard).name()+cmp.Or(m.Inputs, ".csv"))
}
func (m *Manifest) output(g group) string {
	ending := filepath.Ext(m.Output)
	if w, ok := m.work.(computed); ok {
		ending = w.ending()
	}
	return filepath.Join(m.outputs(), g.name()+ending)
}
func (m *Manifest) state(g group) string { return filepath.Join(m.outputs(), g.name()+".json") }

// checksum is the length and the CRC-32C of what is written to it, in the form of RFC 3720. It
// takes a tenth of the time of SHA-256, which for the bytes of a cheap scorer is more than
// dividing may cost, and it finds accidents; nothing here withstands somebody who also changes
// the checksum.
type checksum struct {
	bytes int64
	crc   uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *checksum) Write(text []byte) (int, error) {
	c.bytes += int64(len(text))
	c.crc = crc32.Update(c.crc, castagnoli, text)
	return len(text), nil
}

func (c *checksum) text() string { return fmt.Sprintf("%08x", c.crc) }

// bufferSize is that of copies: large enough that calls of the system cost little, and small
// enough for the caches of a processor.
const bufferSize = 1 << 18

// sumOf returns the checksum of what is read to its end, through a buffer.
func sumOf(r io.Reader, buffer []byte) (sum checksum, err error) {
	_, err = io.CopyBuffer(&sum, struct{ io.Reader }{r}, buffer)
	return sum, err
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return nil
}

// writeJSON writes a file that appears only when it is complete.
func writeJSON(path string, value any, overwrite bool) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, overwrite, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// writeFile makes a file that appears only when write has written all of it.
func writeFile(path string, overwrite bool, write func(io.Writer) error) error {
	file, err := format.CreateFile(path, overwrite)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Commit()
}
