package storage

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// rebuilt is a damaged graph, rebuilt from its remains, with its embeddings.
type rebuilt struct {
	*rescue.Remains
	names      []string // embeddings of the graph
	embeddings []oldEmbedding
}

// oldEmbedding is an embedding of a damaged graph, with the rows of the vertices
// that are left.
type oldEmbedding struct {
	info EmbeddingInfo
	rows *vec.Matrix
	why  string // why it cannot be kept; "" if it can
}

// salvaged reads the records of a store that has been salvaged.
type salvaged struct{ t *tree.Tx }

func (s salvaged) Each(object uint64, name []byte, f func(key, payload []byte) error) error {
	p, found, err := s.t.FindPart(object, name)
	if err != nil || !found {
		return err
	}
	return s.t.Scan(p, func(key, payload []byte) error {
		_ = f(key, payload) // only hostile records have a right checksum and wrong content
		return nil
	})
}

// remainsOf collects what is left of a graph object; r may be nil.
func remainsOf(t *tree.Tx, object uint64, r *graphs.Record) (*rebuilt, error) {
	var attributes, edgeAttributes []rescue.Attribute
	if r != nil {
		attributes, edgeAttributes = attributesLeft[uint32](r), attributesLeft[block.Arc](r)
	}
	left, err := rescue.RemainsOf(t.Ctx, salvaged{t}, object, attributes, edgeAttributes)
	if err == nil && r != nil && r.Directed && left.Directed == nil { // no arc is left
		left.Graph, left.Directed = nil, csr.NewDirected(csr.Rows{Offsets: make([]int64, len(left.Slots)+1)})
	}
	return &rebuilt{Remains: left}, err
}

// attributesLeft lists the attributes that a graph can have.
func attributesLeft[P block.Place](r *graphs.Record) (list []rescue.Attribute) {
	schema := graphs.SchemaOf[P](r)
	for _, a := range *schema.List {
		if schema.Check(a.Attribute()) == nil {
			list = append(list, rescue.Attribute{Attribute: a.Attribute(), ID: a.ID})
		}
	}
	return list
}

// attributesLost says how many values of attributes are missing.
func (left *rebuilt) attributesLost(r *graphs.Record) string {
	was, is := uint64(0), 0
	for _, a := range slices.Concat(r.Attributes, r.EdgeAttributes) {
		was += a.Values
	}
	for _, c := range slices.Concat(left.Values, left.EdgeValues) {
		is += c.Count()
	}
	if was == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d of %d values of attributes", is, was)
}

// readEmbeddings reads the embeddings of a damaged graph. Only those of its last
// version are kept: the rows of different versions cannot be distinguished in
// the rebuilt graph.
func (left *rebuilt) readEmbeddings(t *tree.Tx, r *graphs.Record) error {
	return t.Each(block.EmbeddingsName, func(key, record []byte) error {
		var e embeddingRecord
		if err := block.DecodeStruct(block.EmbeddingsName, key, record, &e); err != nil {
			return err
		}
		if e.GraphID != r.ID {
			return nil
		}
		name := string(key)
		left.names = append(left.names, name)
		if e.Past {
			return nil
		}
		e.name = name
		old := oldEmbedding{info: e.info(block.SlotMap{})}
		switch {
		case e.GraphVersion != r.Version:
			old.why = "was made from an older version of a graph that had to be rebuilt"
		default:
			if err := left.readRows(t, &e, &old); err != nil {
				return err
			}
		}
		left.embeddings = append(left.embeddings, old)
		return nil
	})
}

// readRows reads an embedding and keeps the rows of the vertices that are left.
func (left *rebuilt) readRows(t *tree.Tx, e *embeddingRecord, old *oldEmbedding) error {
	damaged := func(err error) error {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		old.why = fault.Reason(err)
		return nil
	}
	if err := e.Validate(graphs.Size(t)); err != nil {
		return damaged(err)
	}
	slots, err := embeddingSlots(t, e)
	if err != nil {
		return damaged(err)
	}
	m, err := readRows(t, e)
	if err != nil {
		return damaged(err)
	}
	old.rows = vec.NewMatrix(len(left.Slots), m.Dim)
	for v, slot := range left.Slots {
		row, found := slots.Vertex(slot)
		if !found || int(row) >= m.Rows {
			old.why = "has no rows for some vertices of its graph"
			return nil
		}
		copy(old.rows.Row(v), m.Row(int(row)))
	}
	return nil
}

// store writes the graph as a new one and returns its version.
func (left *rebuilt) store(ctx context.Context, db *DB, name, source string) (version uint64, err error) {
	info, err := db.PutGraph(ctx, name, PutGraphRequest{Graph: left.Graph, Directed: left.Directed, Keys: func(v uint32) string { return left.Keys[v] }, Source: source, EdgeAttributes: left.EdgeValues})
	if err != nil {
		return 0, err
	}
	version = info.Version
	const batch = 1 << 15
	for from := 0; from < len(left.Keys) && len(left.Values) > 0; from += batch {
		var vertices []Vertex
		for v := from; v < min(from+batch, len(left.Keys)); v++ {
			vertex := Vertex{Key: left.Keys[v]}
			for _, c := range left.Values {
				if !c.IsMissing(uint32(v)) {
					vertex.Values = append(vertex.Values, NamedValue{Name: c.Name, Value: c.At(uint32(v))})
				}
			}
			if len(vertex.Values) > 0 {
				vertices = append(vertices, vertex)
			}
		}
		err := db.Update(ctx, func(x *Tx) error {
			stats, err := x.InsertVertices(name, vertices)
			if stats.Version > 0 {
				version = stats.Version
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return version, nil
}

// sharer is an entry of the catalogue that should have objects and a number of its own.
type sharer struct {
	name  string
	holds []uint64
	named int // how often others name it
}

// keepOne finds entries that hold the same. Of each group it keeps the one that is named most
// often, and the first of those; it returns the entry that is kept by the name of each other
// one.
func keepOne(list []sharer) map[string]string {
	holders := make(map[uint64][]sharer)
	for _, s := range list {
		for _, id := range s.holds {
			if id != 0 {
				holders[id] = append(holders[id], s)
			}
		}
	}
	kept := make(map[string]string)
	for _, s := range list {
		for _, id := range s.holds {
			sharing := slices.DeleteFunc(slices.Clone(holders[id]), func(s sharer) bool { return kept[s.name] != "" })
			if len(sharing) < 2 {
				continue
			}
			keep := slices.MaxFunc(sharing, func(a, b sharer) int { return a.named - b.named })
			for _, other := range sharing {
				if other.name != keep.name {
					kept[other.name] = keep.name
				}
			}
		}
	}
	return kept
}

// dropShared drops entries of graphs and embeddings that hold the objects of another one, which
// keeps them: of a graph, that which more embeddings name; of an embedding, that which more
// models and past generations name. It returns a line for each entry that it drops. Models and
// other artefacts that share an object are among the faults that CHECK finds.
func (db *DB) dropShared(ctx context.Context) (lost []string, err error) {
	err = db.file.InTransaction(ctx, func(t *tree.Tx) error {
		graphList, embeddings, past, err := sharers(t)
		if err != nil {
			return err
		}
		drop := func(bucket []byte, list []sharer, describe func(name string) string) error {
			kept := keepOne(list)
			for _, s := range list {
				if kept[s.name] == "" {
					continue
				}
				lost = append(lost, fmt.Sprintf("%s: shared what is stored with %s, which is kept", describe(s.name), describe(kept[s.name])))
				for _, name := range append(past[s.name], s.name) {
					if err := t.Remove(bucket, []byte(name)); err != nil {
						return err
					}
				}
			}
			return nil
		}
		if err := drop(block.GraphsName, graphList, graphs.DescribeGraph); err != nil {
			return err
		}
		return drop(block.EmbeddingsName, embeddings, describeEmbedding)
	})
	return lost, err
}

// sharers lists the entries of graphs and embeddings by name, and the names of the past
// generations of each embedding.
func sharers(t *tree.Tx) (graphList, embeddings []sharer, past map[string][]string, err error) {
	named, onGraph := make(map[string]int), make(map[string]int)
	_, _ = modelKind.valid(t, nil, func(_ []byte, r *modelRecord) {
		for _, e := range r.Embeddings {
			named[e.Name]++
		}
	})
	past = make(map[string][]string)
	err = t.Each(block.EmbeddingsName, func(key, record []byte) error {
		var r embeddingRecord
		if err := block.DecodeStruct(block.EmbeddingsName, key, record, &r); err != nil {
			return err
		}
		name := string(key)
		onGraph[r.Graph]++
		switch base, _, generation := splitGeneration(name); {
		case generation && r.Past:
			named[base]++
			past[base] = append(past[base], name)
		case generation: // a name that no embedding should have
			named[name]--
		}
		embeddings = append(embeddings, sharer{name: name, holds: []uint64{r.Object, r.State.Object}})
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range embeddings {
		embeddings[i].named = named[embeddings[i].name]
	}
	err = t.Each(block.GraphsName, func(key, record []byte) error {
		var r graphs.Record
		if err := block.DecodeStruct(block.GraphsName, key, record, &r); err != nil {
			return err
		}
		// The numbers of graphs and of objects are from one series.
		graphList = append(graphList, sharer{name: string(key), holds: []uint64{r.Object, r.ID}, named: onGraph[string(key)]})
		return nil
	})
	return graphList, embeddings, past, err
}
