package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// modelRun is a sequence of random operations. The model decides about each; the
// store, where there is one, has to agree. The same seed gives the same sequence
// with a store and without.
type modelRun struct {
	random *rand.Rand
	model  *model
	db     *DB
	path   string
	opts   *Options
	steps  int
}

func newModelRun(seed uint64, path string) *modelRun {
	random := rand.New(rand.NewPCG(seed, 7))
	return &modelRun{random: random, model: newModel(), path: path, opts: &Options{BatchBytes: []int{0, 1, 300, 5000}[random.IntN(4)]}}
}

func (m *modelRun) open() (err error) {
	m.db, err = Open(m.path, m.opts)
	return err
}

// reopen checks the store, closes it and opens it again.
func (m *modelRun) reopen() error {
	if m.db == nil {
		return nil
	}
	if err := m.check(); err != nil {
		return err
	}
	if err := m.db.Close(); err != nil {
		return err
	}
	return m.open()
}

// check reports the first fault that Check finds.
func (m *modelRun) check() error {
	report, err := m.db.Check(context.Background(), nil)
	if err == nil && !report.OK() {
		err = fmt.Errorf("check: %+v", report.Faults)
	}
	return err
}

// TestDB_Model runs random operations against the store and against maps, with
// reopening in between, and compares everything now and then.
func TestDB_Model(t *testing.T) {
	for seed := range repeat.Times(2) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			m := newModelRun(uint64(seed), filepath.Join(t.TempDir(), "model"))
			if err := m.open(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = m.db.Close() }()
			for range 10 {
				m.run(t, 8)
				if err := errors.Join(m.compare(), m.check()); err != nil {
					t.Fatalf("after %d steps: %v", m.steps, err)
				}
			}
		})
	}
}

func (m *modelRun) run(t *testing.T, steps int) {
	t.Helper()
	for range steps {
		if err := m.step(); err != nil {
			t.Fatalf("step %d: %v", m.steps, err)
		}
	}
}

// TestDB_Model_Killed kills the process that runs the operations before one of its commits,
// or at a random moment. The file must then have the content of the model after the last
// confirmed operation, or after the one that was running; the run continues from there.
func TestDB_Model_Killed(t *testing.T) {
	for seed := range repeat.Times(4) { // one of four is killed at some moment
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "model")
			m := newModelRun(uint64(seed), path)
			commits, wait := 1+seed*7%120, never
			if seed%4 == 3 {
				commits, wait = -1, time.Duration(50+seed*37%300)*time.Millisecond
			}
			cmd, out := startChild(t, "model", path, seed, commits)
			timer := randomMoment(cmd, wait)
			confirmed := 0
			for out.Scan() {
				if _, err := fmt.Sscanf(out.Text(), "done %d", &confirmed); err != nil {
					t.Fatalf("child says %q", out.Text())
				}
			}
			waitKilled(t, cmd)
			timer.Stop()
			m.run(t, confirmed)
			if err := m.open(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = m.db.Close() }()
			if before := m.compare(); before != nil {
				db := m.db
				m.db = nil
				m.run(t, 1)
				m.db = db
				if after := m.compare(); after != nil {
					t.Fatalf("killed after %d steps, the file is neither as before the next one (%v) nor as after it (%v)", confirmed, before, after)
				}
			}
			m.run(t, 10)
			if err := errors.Join(m.compare(), m.check()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// childModel runs operations until it is killed.
func childModel(path string, seed, commits int) {
	m := newModelRun(uint64(seed), path)
	fail(m.open())
	killAfter(m.db, commits)
	before := m.db.file.BeforeCommit
	for {
		fail(m.step())
		fmt.Println("done", m.steps)
		m.db.file.BeforeCommit = before // where it was reopened
	}
}

var (
	modelGraphs     = []string{"g", "Graph two", "ünï"}
	modelEmbeddings = []string{"e", "f", "vectors of g"}
	modelAttributes = []Attribute{{Name: "name", Type: Text}, {Name: "a note of any length", Type: Text}, {Name: "age", Type: Integer}, {Name: "größe", Type: Float}, {Name: "member", Type: Boolean}}
)

// step runs one random operation.
func (m *modelRun) step() error {
	m.steps++
	name := modelGraphs[m.random.IntN(len(modelGraphs))]
	vectors := modelEmbeddings[m.random.IntN(len(modelEmbeddings))]
	switch m.random.IntN(22) {
	case 0:
		return m.create(name)
	case 1:
		return m.drop(name, m.random.IntN(2) == 0)
	case 2, 3, 4:
		return m.importEdges(name)
	case 5:
		return m.failedImport(name)
	case 11:
		return m.importVertices(name)
	case 12:
		return m.putGraph(name)
	case 13:
		return m.compact()
	case 6, 7, 8:
		return m.putEmbedding(vectors, name)
	case 9:
		return m.dropEmbedding(vectors)
	case 10:
		return m.reopen()
	}
	return m.transaction()
}

// compact changes nothing that can be seen.
func (m *modelRun) compact() error {
	if m.db == nil {
		return nil
	}
	_, err := m.db.Compact(context.Background(), nil)
	return err
}

// expect compares an error with the kind that is expected, nil for none.
func expect(err, kind error) error {
	if (kind == nil) != (err == nil) || !errors.Is(err, kind) {
		return fmt.Errorf("error %v, want %v", err, kind)
	}
	return nil
}

func (m *modelRun) create(name string) error {
	g, kind := m.model.graphs[name], error(nil)
	if g != nil {
		kind = ErrExists
	} else {
		g = newModelGraph(m.random.IntN(2) == 0)
		g.now.changed = true
		g.commit()
		m.model.graphs[name] = g
	}
	switch {
	case m.db == nil:
		return nil
	case g.directed:
		_, err := m.db.CreateDirected(context.Background(), name)
		return expect(err, kind)
	}
	_, err := m.db.CreateGraph(context.Background(), name)
	return expect(err, kind)
}

func (m *modelRun) drop(name string, cascade bool) error {
	used, kind := false, error(nil)
	for _, e := range m.model.embeddings {
		used = used || e.graph == name
	}
	switch {
	case m.model.graphs[name] == nil:
		kind = ErrNotFound
	case used && !cascade:
		kind = ErrInUse
	default:
		delete(m.model.graphs, name)
		maps.DeleteFunc(m.model.embeddings, func(_ string, e *modelEmbedding) bool { return e.graph == name })
	}
	if m.db == nil {
		return nil
	}
	return expect(m.db.DropGraph(context.Background(), name, cascade), kind)
}

func (m *modelRun) importEdges(name string) error {
	opts := ImportOptions{Format: plainText}
	g := m.graphFor(name, &opts)
	valued := m.random.IntN(2) == 0
	edges := m.edges(m.random.IntN(300), valued)
	var columns []Attribute
	if valued && m.random.IntN(2) == 0 {
		columns = m.giveValues(g, edges)
	}
	how := Repeats()[m.random.IntN(len(Repeats()))]
	if !valued && m.random.IntN(2) == 0 {
		how = ""
	}
	want := g.importEdges(edges, how, opts.Format.Directed == format.Undirected)
	opts.Repeated, opts.edgeRoom = how, []int64{0, 1, 5000}[m.random.IntN(3)]
	if valued {
		opts.Format.Separator, opts.Format.Header = ",", format.HeaderNames
	}
	return m.runImport(name, g, edgesText(edges, valued, columns), opts, want)
}

// plainText is the format of an edge list without a header.
var plainText = format.Options{EdgeListOptions: format.EdgeListOptions{Name: "test", Separator: " ", Header: format.HeaderNone}}

// graphFor is the graph that an import goes into. It draws what the edges are to become.
func (m *modelRun) graphFor(name string, opts *ImportOptions) *modelGraph {
	g := m.model.graphs[name]
	opts.Format.Directed = []format.Direction{"", format.Undirected, format.Directed}[m.random.IntN(3)]
	if g == nil {
		g = newModelGraph(opts.Format.Directed == format.Directed)
		m.model.graphs[name] = g
	}
	if !g.directed && opts.Format.Directed == format.Directed {
		opts.Format.Directed = format.DirectionAuto
	}
	return g
}

// runImport imports a text and compares what that reports.
func (m *modelRun) runImport(name string, g *modelGraph, text string, opts ImportOptions, want ImportStats) error {
	g.commit()
	if m.db == nil {
		return nil
	}
	got, err := m.db.Import(context.Background(), name, strings.NewReader(text), opts)
	if err != nil {
		return err
	}
	want.Vertices, want.Edges, want.Version = len(g.ids), int64(len(g.edges)), g.version()
	want.ReadStats, want.Seconds, want.Resumed = got.ReadStats, got.Seconds, got.Resumed
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("import by %q reports %+v, want %+v", opts.Repeated, got, want)
	}
	return nil
}

// giveValues gives some of the edges values of some attributes, of which g gets those that it does not have, and returns
// the attributes.
func (m *modelRun) giveValues(g *modelGraph, edges []Edge) (columns []Attribute) {
	for _, a := range modelAttributes {
		if m.random.IntN(2) == 0 {
			continue
		}
		some := false
		for i := range edges {
			if x := anyValue(m.random, a.Type); m.random.IntN(3) > 0 && x.String() != "" {
				edges[i].Values, some = append(edges[i].Values, NamedValue{Name: a.Name, Value: x}), true
			}
		}
		if some {
			columns = append(columns, a)
		}
		if some && g.edgeValues[a.Name] == nil {
			g.edgeAttributes, g.edgeValues[a.Name] = append(g.edgeAttributes, a), map[[2]uint32]Value{}
			g.now.changed = true
		}
	}
	return columns
}

// edgesText is an edge list, with columns of weights, timestamps and the given attributes where valued
// is set.
func edgesText(edges []Edge, valued bool, columns []Attribute) string {
	var b strings.Builder
	if valued {
		b.WriteString("source,target,weight,time")
		for _, a := range columns {
			b.WriteString("," + a.Name + ":" + a.Type.String())
		}
		b.WriteByte('\n')
	}
	for _, e := range edges {
		switch {
		case !valued:
			fmt.Fprintf(&b, "%s %s\n", e.Source, e.Target)
		default:
			fmt.Fprintf(&b, "%s,%s,", e.Source, e.Target)
			if e.Weight != 0 {
				fmt.Fprint(&b, e.Weight)
			}
			b.WriteByte(',')
			if e.Timed && e.Time != csr.NoTime {
				fmt.Fprint(&b, e.Time)
			}
			for _, a := range columns {
				b.WriteByte(',')
				if i := slices.IndexFunc(e.Values, func(x NamedValue) bool { return x.Name == a.Name }); i >= 0 {
					b.WriteString(`"` + e.Values[i].Value.String() + `"`)
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// importVertices imports values of attributes that the graph has.
func (m *modelRun) importVertices(name string) error {
	opts := ImportOptions{Format: format.Options{Layout: format.LayoutVertices, EdgeListOptions: format.EdgeListOptions{Separator: ",", Header: format.HeaderNames}}}
	g := m.graphFor(name, &opts)
	header := "id"
	var columns []Attribute
	for _, a := range g.attributes {
		if m.random.IntN(2) == 0 {
			columns = append(columns, a)
			header += "," + a.Name
		}
	}
	var vertices []Vertex
	text := header + "\n"
	for range 1 + m.random.IntN(50) {
		v := Vertex{Key: m.key()}
		text += v.Key
		for _, a := range columns {
			x := anyValue(m.random, a.Type)
			text += ","
			if x.String() != "" {
				text += `"` + x.String() + `"` // keeps blanks at the end
				v.Values = append(v.Values, NamedValue{Name: a.Name, Value: x})
			}
		}
		text += "\n"
		vertices = append(vertices, v)
	}
	want := g.importVertices(vertices)
	return m.runImport(name, g, text, opts, want)
}

// putGraph stores a graph made in memory, unless one of the name has vertices
// or had some.
func (m *modelRun) putGraph(name string) error {
	made := newModelGraph(m.random.IntN(2) == 0)
	made.importEdges(m.edges(m.random.IntN(200), true), "", false)
	made.insertEdges(m.giveEdges(made, m.someEdges(made, 20)))
	made.setVertices(m.vertices(made, m.random.IntN(20)), new(WriteStats))
	g, kind := m.model.graphs[name], error(nil)
	if g != nil && len(g.keys) > 0 {
		kind = ErrExists
	} else {
		if g != nil {
			made.log, made.history = g.log, g.history
		}
		made.now = modelChange{changed: true, put: true}
		made.commit()
		m.model.graphs[name] = made
	}
	if m.db == nil {
		return nil
	}
	req, err := made.put()
	if err != nil {
		return err
	}
	req.EdgeAttributes = made.edgeColumns()
	_, err = m.db.PutGraph(context.Background(), name, req)
	return expect(err, kind)
}

// failedImport imports what cannot be read, or is cancelled: nothing changes.
func (m *modelRun) failedImport(name string) error {
	text, cancelled := edgesText(m.edges(m.random.IntN(300), false), false, nil)+"only-one-column\n", m.random.IntN(2) == 0
	if m.db == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	kind := format.ErrSyntax
	if cancelled {
		cancel()
		kind = context.Canceled
	}
	_, err := m.db.Import(ctx, name, strings.NewReader(text), ImportOptions{Format: plainText})
	return expect(err, kind)
}

// putEmbedding stores random rows for the present version of a graph or for one
// of the last.
func (m *modelRun) putEmbedding(name, graph string) error {
	e := &modelEmbedding{graph: graph, generation: 1, version: 1, dim: 1 + m.random.IntN(40)}
	g, kind := m.model.graphs[graph], error(nil)
	back := uint64(m.random.IntN(1 + m.random.IntN(4)))
	if g != nil {
		e.version = max(1, g.version()-min(back, g.version()))
		e.slots = g.history[e.version]
		e.rows = make([]float32, len(e.slots)*e.dim)
		for i := range e.rows {
			e.rows[i] = m.random.Float32()
		}
	}
	old := m.model.embeddings[name]
	switch {
	case g == nil:
		kind = ErrNotFound
	case old != nil && old.graph != graph:
		kind = ErrExists
	default:
		if old != nil {
			e.generation = old.generation + 1
		}
		m.model.embeddings[name] = e
	}
	if m.db == nil {
		return nil
	}
	info := EmbeddingInfo{Name: name, Graph: graph, GraphVersion: e.version, Method: "random", Options: []Setting{{"dim", fmt.Sprint(e.dim)}}}
	info, err := m.db.PutEmbedding(context.Background(), info, &vec.Matrix{Rows: len(e.slots), Dim: e.dim, Data: e.rows})
	if err == nil && info.Generation != e.generation {
		err = fmt.Errorf("generation %d, want %d", info.Generation, e.generation)
	}
	return expect(err, kind)
}

func (m *modelRun) dropEmbedding(name string) error {
	kind := error(nil)
	if m.model.embeddings[name] == nil {
		kind = ErrNotFound
	}
	delete(m.model.embeddings, name)
	if m.db == nil {
		return nil
	}
	return expect(m.db.DropEmbedding(context.Background(), name), kind)
}
