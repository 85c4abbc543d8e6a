package skipgram

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// pathsOf returns the turns from the root to each vertex by walking down the children.
func pathsOf(t *testing.T, m *Model) [][]uint32 {
	t.Helper()
	paths := make([][]uint32, m.Vectors.Rows)
	var down func(node int64, path []uint32)
	down = func(node int64, path []uint32) {
		for turn, child := range m.Children[node] {
			step := append(slices.Clone(path), uint32(node)<<1|uint32(turn))
			if child >= 0 {
				down(child, step)
			} else if paths[^child] != nil {
				t.Fatalf("vertex %d has two leaves", ^child)
			} else {
				paths[^child] = step
			}
		}
	}
	down(0, nil)
	return paths
}

func randomModel(n, dim int, r *rand.Rand) *Model {
	s := &State{Visits: make([]int64, n)}
	for v := range s.Visits {
		s.Visits[v] = int64(1 + r.IntN(1000))
	}
	m := vec.NewMatrix(n, dim)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	nodes := vec.NewMatrix(n, dim)
	for i := range nodes.Data {
		nodes.Data[i] = float32(r.NormFloat64())
	}
	s.Vectors, s.Nodes = m.Panel(0, dim), nodes.Panel(0, dim)
	return s.Model(0)
}

func copyOf(s *State) *State {
	c := *s
	c.Visits = slices.Clone(s.Visits)
	c.Vectors.Data, c.Nodes.Data = slices.Clone(s.Vectors.Data), slices.Clone(s.Nodes.Data)
	return &c
}

// Rows with gaps between them become a matrix in the same memory.
func TestJoined(t *testing.T) {
	p := vec.Panel{Data: []float32{1, 2, 0, 3, 4, 0, 5, 6, 0}, Rows: 3, Cols: 2, Stride: 3}
	m := joined(p, 2)
	if m.Rows != 2 || m.Dim != 2 || !slices.Equal(m.Data, []float32{1, 2, 3, 4}) || &m.Data[0] != &p.Data[0] {
		t.Errorf("%+v", m)
	}
}

// The tree of an unchanged model has the paths of the Huffman tree of the visits, also
// after the model was written and read.
func TestModel_TreeIsThatOfTheVisits(t *testing.T) {
	m := randomModel(200, 3, rand.New(rand.NewPCG(1, 1)))
	want := newTree(m.Visits)
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadModel(&file, m.Vectors)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{m, read} {
		got := m.tree()
		if !slices.Equal(got.first, want.first) || !slices.Equal(got.steps, want.steps) {
			t.Fatal("other paths than those of the Huffman tree")
		}
	}
	if !slices.Equal(read.Nodes.Data, m.Nodes.Data) || !slices.Equal(read.Visits, m.Visits) {
		t.Error("read other numbers than were written")
	}
}

// Vertices are added and removed at random. The tree always has all vertices, and remaining
// vertices and nodes keep their rows. The remaining nodes on the path to an old vertex keep
// their order; deleted nodes are missing, and new ones may lie between.
func TestModel_Change_Random(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	m := randomModel(60, 2, r)
	for round := range 60 {
		n := m.Vectors.Rows
		var from []uint32
		for v := range uint32(n) {
			if r.IntN(8) > 0 || len(from) < 2 {
				from = append(from, v)
			}
		}
		kept := len(from)
		for range r.IntN(12) {
			from = append(from, Added)
		}
		r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		var old []uint32 // new numbers of the old vertices
		for v, f := range from {
			if f != Added {
				old = append(old, uint32(v))
			}
		}
		near := func(v uint32) []uint32 { return old[:int(v)%min(4, kept)] }
		vectors, nodes := m.Vectors, m.Nodes
		paths := pathsOf(t, m)
		next, err := m.Change(slices.Clone(from), near)
		if err != nil {
			t.Fatal(err)
		}
		if len(next.Children) != len(from)-1 || next.Nodes.Rows != len(from)-1 {
			t.Fatalf("round %d: %d inner nodes of %d vertices", round, len(next.Children), len(from))
		}
		if err := next.checkTree(); err != nil {
			t.Fatal(err)
		}
		after := pathsOf(t, next)
		tree := next.tree()
		for v, f := range from {
			if !slices.Equal(tree.path(uint32(v)), after[v]) {
				t.Fatalf("round %d: path of vertex %d is %v, not %v", round, v, tree.path(uint32(v)), after[v])
			}
			if f == Added {
				continue
			}
			if !slices.Equal(next.Vectors.Row(v), vectors.Row(int(f))) {
				t.Fatalf("round %d: vertex %d has another row", round, v)
			}
			// The rows of the remaining nodes, and the turns at them, are the old ones in
			// the same order.
			was := paths[f]
			for _, step := range after[v] {
				row := next.Nodes.Row(int(step >> 1))
				if row[0] == 0 && row[1] == 0 {
					continue // new
				}
				for len(was) > 0 && !(slices.Equal(nodes.Row(int(was[0]>>1)), row) && was[0]&1 == step&1) {
					was = was[1:]
				}
				if len(was) == 0 {
					t.Fatalf("round %d: vertex %d has a node that was not on its way", round, v)
				}
				was = was[1:]
			}
		}
		m = next
		for i := range m.Nodes.Data { // new nodes learn
			if m.Nodes.Data[i] == 0 {
				m.Nodes.Data[i] = float32(r.NormFloat64())
			}
		}
	}
}

func TestModel_Change_Errors(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, from := range [][]uint32{{0, 0, 1}, {0, 9}, {3, Added, Added}, nil} {
		if _, err := randomModel(5, 2, r).Change(from, func(uint32) []uint32 { return nil }); !errors.Is(err, ErrState) {
			t.Errorf("%v: %v", from, err)
		}
	}
}

// Without the bound, adding the leaves of a star one by one would make a tree whose depth
// is the number of vertices.
func TestModel_Change_DepthIsBounded(t *testing.T) {
	m := randomModel(4, 2, rand.New(rand.NewPCG(2, 3)))
	from := []uint32{0, 1, 2, 3}
	for range 2000 {
		from = append(from, Added)
	}
	m, err := m.Change(from, func(uint32) []uint32 { return []uint32{0} })
	if err != nil {
		t.Fatal(err)
	}
	deepest := 0
	tree := m.tree()
	for v := range uint32(m.Vectors.Rows) {
		deepest = max(deepest, len(tree.path(v)))
	}
	if deepest > 2*maxDepth {
		t.Errorf("the deepest leaf is at %d", deepest)
	}
}

// Continue gives the same bytes for any number of workers, changes only the rows of
// vertices on the walks and of nodes on their paths, and makes pairs on the walks likelier.
func TestContinue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	lines := make([][]uint32, 900) // each goes along a cycle of 1500
	for i := range lines {
		at := uint32(r.IntN(1500))
		for range 20 {
			at = (at + 1 + uint32(r.IntN(2))) % 1500
			lines[i] = append(lines[i], at)
		}
	}
	c := Corpus{Vertices: 1500, Walks: 900, Append: func(dst []uint32, i int) []uint32 { return append(dst, lines[i]...) }}
	trained, first, err := TrainState(context.Background(), c, Options{Dim: 16, Window: 3, Seed: 4, Epochs: 2, Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	few := Corpus{Vertices: c.Vertices, Walks: 30, Append: c.Append}
	var want *Model
	for _, workers := range []int{1, 3} {
		m := copyOf(trained).Model(0)
		stats, err := Continue(context.Background(), m, few, Options{Window: 3, Seed: 4, Alpha: 0.005, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = m
		} else if !slices.Equal(m.Vectors.Data, want.Vectors.Data) || !slices.Equal(m.Nodes.Data, want.Nodes.Data) {
			t.Error("the result depends on workers")
		}
		if stats.Loss[0] >= first.Loss[0] {
			t.Errorf("loss %v after training, %v before", stats.Loss[0], first.Loss[0])
		}
	}
	walked := make([]bool, c.Vertices)
	for i := range few.Walks {
		for _, v := range c.Append(nil, i) {
			walked[v] = true
		}
	}
	before := trained.Model(0).Vectors
	moved := 0
	for v, on := range walked {
		same := slices.Equal(before.Row(v), want.Vectors.Row(v))
		if !on && !same {
			t.Fatalf("vertex %d moved and is on no walk", v)
		}
		if !same {
			moved++
		}
	}
	if moved == 0 {
		t.Error("nothing moved")
	}
}

// FuzzReadModel reads any bytes. If they are not a model the error is ErrState; otherwise
// writing the model gives the same bytes.
func FuzzReadModel(f *testing.F) {
	for touched := range int64(2) {
		m := randomModel(5, 2, rand.New(rand.NewPCG(1, 1)))
		m.Touched = touched
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
		f.Add(file.Bytes()[:file.Len()-3])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadModel(bytes.NewReader(data), vec.NewMatrix(5, 2))
		if err != nil {
			if !errors.Is(err, ErrState) {
				t.Errorf("error is %v", err)
			}
			return
		}
		if m.Children != nil {
			pathsOf(t, m)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil || !bytes.Equal(file.Bytes(), data) {
			t.Errorf("written again as other bytes: %v", err)
		}
	})
}
