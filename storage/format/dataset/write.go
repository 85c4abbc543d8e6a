package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/vec"
)

// fileBytes is the size from which on a file ends: large enough that a reader of thousands of
// files does not pay for each, and small enough that a task reads one in some seconds.
const fileBytes = 128 << 20

// Write writes objects of a store into a folder, which is made if it does not exist; files with
// the names of the data are replaced. It holds the graph and one embedding in memory. What
// cannot be written is ErrUnfit: an embedding of a version of the graph of which vertices were
// deleted since, and a past generation.
func Write(ctx context.Context, db *storage.DB, dir string, names Names) (*Content, error) {
	w := &writer{ctx: ctx, db: db, dir: dir, fileBytes: fileBytes, content: Content{Version: Version}}
	return &w.content, w.run(names)
}

type writer struct {
	ctx       context.Context
	db        *storage.DB
	dir       string
	fileBytes int64
	options   columnfile.WriteOptions
	content   Content
}

func (w *writer) run(names Names) error {
	graph, columns, err := w.db.SnapshotColumns(w.ctx, names.Graph)
	if err != nil {
		return err
	}
	if all := attributeNames(graph.Info); len(all) > 0 {
		if graph, columns, err = w.db.SnapshotColumns(w.ctx, names.Graph, all...); err != nil {
			return err
		}
	}
	c := &w.content
	c.Catalogue.Graphs = []storage.GraphInfo{graph.Info}
	c.Weights, c.Times = graph.Graph.Weights != nil, graph.Graph.Times != nil
	if err := w.edges(graph.Graph); err != nil {
		return err
	}
	if err := w.vertices(graph, columns); err != nil {
		return err
	}
	for _, name := range names.Embeddings {
		if err := w.embedding(graph, name, names.Indexes); err != nil {
			return err
		}
	}
	for i, name := range names.Models {
		info, from, err := w.db.Model(w.ctx, name)
		if err != nil {
			return err
		}
		c.Catalogue.Models = append(c.Catalogue.Models, info)
		if err := w.stream(modelFile(i), from); err != nil {
			return err
		}
	}
	return nil
}

func attributeNames(g storage.GraphInfo) (names []string) {
	for _, a := range g.Attributes {
		names = append(names, a.Name)
	}
	return names
}

// The places of files in the folder.
func edgesFolder() string                   { return "edges" }
func verticesFolder() string                { return "vertices" }
func vectorsFolder(embedding string) string { return path.Join("vectors", escaped(embedding)) }
func modelFile(i int) string                { return path.Join("models", fmt.Sprintf("%05d.bin", i)) }
func indexFile(i int) string                { return path.Join("indexes", fmt.Sprintf("%05d.bin", i)) }

// escaped returns a name that every file system allows and that cannot leave the folder.
func escaped(name string) string {
	if name == "." || name == ".." {
		return "%2E" + name[1:]
	}
	return url.PathEscape(name)
}

func (w *writer) edges(g *csr.Graph) error {
	columns := []columnfile.Column{{Name: "source", Kind: columnfile.Number}, {Name: "target", Kind: columnfile.Number}}
	weight, time := -1, -1
	if g.Weights != nil {
		weight = len(columns)
		columns = append(columns, columnfile.Column{Name: "weight", Kind: columnfile.Float})
	}
	if g.Times != nil {
		time = len(columns)
		columns = append(columns, columnfile.Column{Name: "time", Kind: columnfile.Integer, Optional: true})
	}
	t, err := w.table(edgesFolder(), columns, nil)
	if err != nil {
		return err
	}
	defer t.discard()
	for v := range uint32(g.Vertices()) {
		for i, to := range g.Neighbors(v) {
			if to < v {
				continue
			}
			at := g.Offsets[v] + int64(i)
			t.to.Integer(0, int64(v))
			t.to.Integer(1, int64(to))
			if weight >= 0 {
				t.to.Float(weight, g.Weights[at])
			}
			if time >= 0 && g.Times[at] != csr.NoTime {
				t.to.Integer(time, g.Times[at])
			}
			if err := t.endRow(); err != nil {
				return err
			}
		}
	}
	return t.close()
}

func (w *writer) vertices(g *storage.Snapshot, attributes []*storage.Column) error {
	columns := []columnfile.Column{{Name: "id", Kind: columnfile.Number}, {Name: "key", Kind: columnfile.Text}}
	for _, a := range attributes {
		columns = append(columns, columnfile.Column{Name: freeName(columns, a.Name), Kind: attributeKind(a.Type), Optional: true})
	}
	t, err := w.table(verticesFolder(), columns, nil)
	if err != nil {
		return err
	}
	defer t.discard()
	var key []byte
	for v := range uint32(g.Graph.Vertices()) {
		key = g.AppendKey(key[:0], v)
		t.to.Integer(0, int64(v))
		t.to.Text(1, key)
		for i, a := range attributes {
			if !a.IsMissing(v) {
				t.attribute(2+i, a.At(v))
			}
		}
		if err := t.endRow(); err != nil {
			return err
		}
	}
	return t.close()
}

// freeName is a name that no column has: the wanted one, or with a number.
func freeName(taken []columnfile.Column, wanted string) string {
	name := wanted
	for n := 2; slices.ContainsFunc(taken, func(c columnfile.Column) bool { return c.Name == name }); n++ {
		name = fmt.Sprintf("%s_%d", wanted, n)
	}
	return name
}

func attributeKind(t storage.Type) columnfile.Kind {
	switch t {
	case storage.Integer:
		return columnfile.Integer
	case storage.Float:
		return columnfile.Double
	case storage.Boolean:
		return columnfile.Boolean
	}
	return columnfile.Text
}

func (t *table) attribute(column int, v storage.Value) {
	switch v.Type() {
	case storage.Integer:
		t.to.Integer(column, v.Integer())
	case storage.Float:
		t.to.Double(column, v.Float())
	case storage.Boolean:
		t.to.Boolean(column, v.Boolean())
	default:
		t.to.Text(column, []byte(v.Text()))
	}
}

func (w *writer) embedding(g *storage.Snapshot, name string, indexes bool) error {
	info, m, err := w.db.Embedding(w.ctx, name)
	if err != nil {
		return err
	}
	switch {
	case info.Past:
		return fmt.Errorf("embedding %s is a past generation, which has no data of its own: %w", name, ErrUnfit)
	case m.Dim == 0 && m.Rows > 0:
		return fmt.Errorf("embedding %s has vectors without values: %w", name, ErrUnfit)
	}
	rows, err := g.RowsOf(info)
	if err != nil {
		return err
	}
	for v, row := range rows {
		if v < m.Rows && row != uint32(v) || v >= m.Rows && row != storage.NoRow {
			return fmt.Errorf("embedding %s is of version %d of graph %s, of which vertices were deleted since; REFRESH it: %w", name, info.GraphVersion, info.Graph, ErrUnfit)
		}
	}
	if len(rows) < m.Rows {
		return fmt.Errorf("embedding %s has vectors of vertices that were deleted; REFRESH it: %w", name, ErrUnfit)
	}
	w.content.Catalogue.Embeddings = append(w.content.Catalogue.Embeddings, info)
	if err := w.vectors(name, m); err != nil || !indexes {
		return err
	}
	list, err := w.db.Indexes(w.ctx, name)
	for _, entry := range list {
		if err != nil {
			break
		}
		var from io.Reader
		if entry, from, err = w.db.Index(w.ctx, info, entry.Metric); err != nil {
			break
		}
		i := len(w.content.Catalogue.Indexes)
		w.content.Catalogue.Indexes = append(w.content.Catalogue.Indexes, entry)
		err = w.stream(indexFile(i), from)
	}
	return err
}

func (w *writer) vectors(name string, m *vec.Matrix) error {
	columns := []columnfile.Column{{Name: "id", Kind: columnfile.Number}, {Name: "vector", Kind: columnfile.FloatList}}
	t, err := w.table(vectorsFolder(name), columns, []columnfile.Entry{{Key: "heavytail.embedding", Text: name}, {Key: "heavytail.dim", Text: strconv.Itoa(m.Dim)}})
	if err != nil {
		return err
	}
	defer t.discard()
	for v := range m.Rows {
		t.to.Integer(0, int64(v))
		t.to.Floats(1, m.Row(v))
		if err := t.endRow(); err != nil {
			return err
		}
	}
	return t.close()
}

// stream writes the bytes of a model or an index.
func (w *writer) stream(name string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Join(w.dir, filepath.FromSlash(path.Dir(name))), 0o700); err != nil {
		return err
	}
	file, err := w.create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, from); err != nil {
		return err
	}
	return w.end(file, 0)
}

// table is a table that is being written, in one file or several.
type table struct {
	*writer
	folder  string
	columns []columnfile.Column
	entries []columnfile.Entry
	number  int // of the file
	rows    int64
	file    *summed
	to      columnfile.Writer
}

// numbered are the names of the files of a table.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{5,}\.parquet$`) })

// table begins a table. Files that an earlier call has left are removed: this one may write
// fewer of them.
func (w *writer) table(folder string, columns []columnfile.Column, entries []columnfile.Entry) (*table, error) {
	place := filepath.Join(w.dir, filepath.FromSlash(folder))
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	there, err := os.ReadDir(place)
	for _, f := range there {
		if err == nil && numbered().MatchString(f.Name()) {
			err = os.Remove(filepath.Join(place, f.Name()))
		}
	}
	if err != nil {
		return nil, err
	}
	t := &table{writer: w, folder: folder, columns: columns, entries: entries}
	return t, t.begin()
}

func (t *table) begin() (err error) {
	if t.file, err = t.create(path.Join(t.folder, fmt.Sprintf("%05d.parquet", t.number))); err != nil {
		return err
	}
	t.number++
	t.rows, t.to = 0, columnfile.NewWriter(t.file, t.columns, t.entries, t.options)
	return nil
}

func (t *table) endRow() error {
	if err := t.to.EndRow(); err != nil {
		return err
	}
	if t.rows++; t.rows%1024 == 0 {
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	if t.file.bytes < t.fileBytes {
		return nil
	}
	if err := t.close(); err != nil {
		return err
	}
	return t.begin()
}

func (t *table) close() error {
	if err := t.to.Close(); err != nil {
		return err
	}
	return t.end(t.file, t.rows)
}

// discard removes a file that was not completed.
func (t *table) discard() {
	if t.file != nil {
		_ = t.file.Close()
	}
}

// summed is a file with its checksum.
type summed struct {
	*format.File
	name  string
	bytes int64
	sum   hash.Hash
}

func (w *writer) create(name string) (*summed, error) {
	file, err := format.CreateFile(filepath.Join(w.dir, filepath.FromSlash(name)), true)
	if err != nil {
		return nil, err
	}
	return &summed{File: file, name: name, sum: sha256.New()}, nil
}

func (s *summed) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	s.bytes += int64(n)
	s.sum.Write(b[:n])
	return n, err
}

// end gives a file its name, and lists it.
func (w *writer) end(s *summed, rows int64) error {
	if err := errors.Join(w.ctx.Err(), s.Commit()); err != nil {
		return err
	}
	w.content.Files = append(w.content.Files, File{Path: s.name, Rows: rows, Bytes: s.bytes, SHA256: hex.EncodeToString(s.sum.Sum(nil))})
	return nil
}
