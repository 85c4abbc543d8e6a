package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"

	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/vec"
)

// Verify reads all files of a folder, and compares them with their checksums. The first that is
// missing or differs is a *FileError.
func (c *Content) Verify(ctx context.Context, dir string) error {
	if c.Version != Version {
		return fmt.Errorf("%s has data of version %d, expected %d: plan again, or use the heavytail that planned: %w", dir, c.Version, Version, ErrVersion)
	}
	buffer := make([]byte, 1<<18)
	for _, f := range c.Files {
		if err := f.verify(ctx, dir, buffer); err != nil {
			return err
		}
	}
	return nil
}

func (f File) in(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Path)) }

func (f File) open(dir string) (*os.File, error) {
	file, err := os.Open(f.in(dir))
	if err != nil {
		return nil, &FileError{f.in(dir), "cannot be read", errors.Join(ErrDamaged, err)}
	}
	return file, nil
}

func (f File) verify(ctx context.Context, dir string, buffer []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
		return &FileError{f.Path, "leads out of the folder", ErrDamaged}
	}
	file, err := f.open(dir)
	if err != nil {
		return err
	}
	defer file.Close()
	sum, size := sha256.New(), int64(0)
	for {
		n, err := file.Read(buffer)
		sum.Write(buffer[:n])
		size += int64(n)
		if err == io.EOF {
			break
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("read %s: %w", f.in(dir), err)
		}
	}
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case size != f.Bytes:
		return &FileError{f.in(dir), fmt.Sprintf("has %d bytes, expected %d", size, f.Bytes), ErrDamaged}
	case got != f.SHA256:
		return &FileError{f.in(dir), "has other bytes than when it was written: its SHA-256 is " + got, ErrDamaged}
	}
	return nil
}

// Restore verifies a folder, and makes a store of it at a path that must be free. Its objects have
// the names, versions, generations and times of those that were written, and the same content, but
// no past: no generations before the present one, and no log of changes. If it fails, the file at
// the path is of no use. It holds the graph and one embedding in memory, with 24 bytes more for
// each edge.
func (c *Content) Restore(ctx context.Context, dir, path string) (err error) {
	if err := c.Verify(ctx, dir); err != nil {
		return err
	}
	if len(c.Catalogue.Graphs) != 1 {
		return fmt.Errorf("data of %d graphs, expected one: %w", len(c.Catalogue.Graphs), ErrDamaged)
	}
	db, err := storage.Open(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r := &reader{ctx: ctx, dir: dir, content: c, db: db}
	return r.run()
}

type reader struct {
	ctx     context.Context
	dir     string
	content *Content
	db      *storage.DB
}

func (r *reader) run() error {
	c := &r.content.Catalogue
	info := c.Graphs[0]
	g, err := r.edges(info)
	if err != nil {
		return err
	}
	keys, columns, err := r.vertices(info)
	if err != nil {
		return err
	}
	if _, err := r.db.PutGraph(r.ctx, info.Name, storage.PutGraphRequest{Graph: g, Keys: keys, Attributes: columns, Source: info.Source, Times: info.Times}); err != nil {
		return err
	}
	if err := r.db.Restate(r.ctx, storage.Catalogue{Graphs: c.Graphs}); err != nil {
		return err
	}
	indexes := 0
	for _, e := range c.Embeddings {
		m, err := r.vectors(e)
		if err != nil {
			return err
		}
		e.GraphID = 0 // its number in the new store
		if _, err := r.db.PutEmbedding(r.ctx, e, m); err != nil {
			return err
		}
		if err := r.db.Restate(r.ctx, storage.Catalogue{Embeddings: []storage.EmbeddingInfo{e}}); err != nil {
			return err
		}
		for ; indexes < len(c.Indexes) && c.Indexes[indexes].Embedding == e.Name; indexes++ {
			if _, err := r.db.PutIndex(r.ctx, e, c.Indexes[indexes], r.copyOf(indexFile(indexes))); err != nil {
				return err
			}
		}
	}
	for i, m := range c.Models {
		m.GraphID = 0
		if _, err := r.db.PutModel(r.ctx, m, r.copyOf(modelFile(i))); err != nil {
			return err
		}
	}
	return r.db.Restate(r.ctx, storage.Catalogue{Models: c.Models, Indexes: c.Indexes})
}

func (r *reader) copyOf(name string) func(io.Writer) error {
	return func(w io.Writer) error {
		file, err := File{Path: name}.open(r.dir)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, file)
		return err
	}
}

// limits are those of files whose checksums are right.
func limits() columnfile.Limits {
	return columnfile.Limits{Memory: 1 << 30, Bytes: math.MaxInt64, Columns: 1 << 17}
}

// each calls f with every row of a table, which has at least so many columns. Rows are the
// number of all rows.
func (r *reader) each(folder string, columns int, f func(rows columnfile.Rows) error) (all int64, err error) {
	for _, file := range r.content.Files {
		if path.Dir(file.Path) != folder {
			continue
		}
		n, err := r.eachOf(file, columns, f)
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}

func (r *reader) eachOf(file File, columns int, f func(rows columnfile.Rows) error) (int64, error) {
	fault := func(reason string, err error) error {
		return &FileError{file.in(r.dir), reason, errors.Join(ErrDamaged, err)}
	}
	in, err := file.open(r.dir)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	table, err := columnfile.Open(in, file.Bytes, limits())
	if err != nil {
		return 0, fault("cannot be read", err)
	}
	if table.Rows() != file.Rows || len(table.Columns()) < columns {
		return 0, fault(fmt.Sprintf("has %d rows and %d columns, expected %d and %d", table.Rows(), len(table.Columns()), file.Rows, columns), nil)
	}
	var numbers []int
	for i := range columns {
		numbers = append(numbers, i)
	}
	rows, err := table.Read(numbers...)
	if err != nil {
		return 0, fault("cannot be read", err)
	}
	n := int64(0)
	for rows.Next() {
		if n++; n%1024 == 0 {
			if err := r.ctx.Err(); err != nil {
				return n, err
			}
		}
		if err := f(rows); err != nil {
			return n, fault(fmt.Sprintf("row %d", n), err)
		}
	}
	if err := rows.Err(); err != nil {
		return n, fault("cannot be read", err)
	}
	return n, nil
}

// edges reads the graph. Its rows are filled from the edges in their order: those to smaller
// vertices come first in each row, and all are ascending.
func (r *reader) edges(info storage.GraphInfo) (*csr.Graph, error) {
	columns, weight, time := 2, -1, -1
	if r.content.Weights {
		weight, columns = columns, columns+1
	}
	if r.content.Times {
		time, columns = columns, columns+1
	}
	n := int64(info.Vertices)
	var ends []csr.Edge
	var weights []float32
	var times []int64
	_, err := r.each(edgesFolder(), columns, func(rows columnfile.Rows) error {
		u, v := rows.Integer(0), rows.Integer(1)
		if u >= v || v >= n {
			return fmt.Errorf("an edge of %d and %d, expected source < target < %d", u, v, n)
		}
		e := csr.Edge{U: uint32(u), V: uint32(v)}
		if len(ends) > 0 {
			if last := ends[len(ends)-1]; last.U > e.U || last.U == e.U && last.V >= e.V {
				return fmt.Errorf("the edge of %d and %d comes after that of %d and %d", u, v, last.U, last.V)
			}
		}
		ends = append(ends, e)
		if weight >= 0 {
			weights = append(weights, float32(rows.Double(weight)))
		}
		if time >= 0 {
			at := int64(csr.NoTime)
			if !rows.Missing(time) {
				at = rows.Integer(time)
			}
			times = append(times, at)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return csr.FromSorted(info.Vertices, ends, weights, times), nil
}

func (r *reader) vertices(info storage.GraphInfo) (key func(v uint32) string, columns []*storage.Column, err error) {
	for _, a := range info.Attributes {
		columns = append(columns, storage.NewColumn(a, info.Vertices))
	}
	var text []byte
	ends := make([]int, 1, info.Vertices+1)
	n, err := r.each(verticesFolder(), 2+len(columns), func(rows columnfile.Rows) error {
		v := len(ends) - 1
		if rows.Integer(0) != int64(v) || v >= info.Vertices {
			return fmt.Errorf("id %d, expected %d of %d vertices", rows.Integer(0), v, info.Vertices)
		}
		text = append(text, rows.Text(1)...)
		ends = append(ends, len(text))
		for i, c := range columns {
			if rows.Missing(2 + i) {
				continue
			}
			if err := c.Set(uint32(v), attributeOf(rows, 2+i, c.Type)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if n != int64(info.Vertices) {
		return nil, nil, fmt.Errorf("%d vertices, expected %d: %w", n, info.Vertices, ErrDamaged)
	}
	return func(v uint32) string { return string(text[ends[v]:ends[v+1]]) }, columns, nil
}

func attributeOf(rows columnfile.Rows, column int, t storage.Type) storage.Value {
	switch t {
	case storage.Integer:
		return storage.IntegerValue(rows.Integer(column))
	case storage.Float:
		return storage.FloatValue(rows.Double(column))
	case storage.Boolean:
		return storage.BooleanValue(rows.Integer(column) != 0)
	}
	return storage.TextValue(string(rows.Text(column)))
}

func (r *reader) vectors(e storage.EmbeddingInfo) (*vec.Matrix, error) {
	m, v := vec.NewMatrix(e.Vertices, e.Dim), 0
	n, err := r.each(vectorsFolder(e.Name), 2, func(rows columnfile.Rows) error {
		list := rows.Floats(1)
		if rows.Integer(0) != int64(v) || v >= m.Rows || len(list) != m.Dim {
			return fmt.Errorf("id %d with %d values, expected %d with %d, of %d vectors", rows.Integer(0), len(list), v, m.Dim, m.Rows)
		}
		for i, x := range list {
			m.Row(v)[i] = float32(x)
		}
		v++
		return nil
	})
	if err == nil && n != int64(m.Rows) {
		err = fmt.Errorf("%d vectors of embedding %s, expected %d: %w", n, e.Name, m.Rows, ErrDamaged)
	}
	return m, err
}
