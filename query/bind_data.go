package query

import (
	"math"
	"strconv"

	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// This file binds the statements that change vertices and edges, and those that
// show vertices.

// partAttribute is an attribute by itself; partKey and partEdge are vertices and
// edges by their position, partValue is an attribute with its value.
const partAttribute part = "attribute"

func partKey(i int) part              { return part("key " + strconv.Itoa(i)) }
func partEdge(i int) part             { return part("edge " + strconv.Itoa(i)) }
func partValue(attribute string) part { return part("value " + attribute) }

// writeTarget marks the graph that a statement writes to, and checks that it is there.
func (b *binder) writeTarget(graph parser.Ident) (storage.GraphInfo, error) {
	b.mark(partGraph, graph)
	return b.checkWrite(graph.Name)
}

// graphIn returns the graph of an optional IN, or the only one of the file.
func (b *binder) graphIn(graph *parser.Ident, statement parser.Node) (storage.GraphInfo, error) {
	named := ""
	b.mark(partGraph, statement)
	if graph != nil {
		b.mark(partGraph, graph)
		named = graph.Name
	}
	named, err := b.graphOr(named)
	if err != nil {
		return storage.GraphInfo{}, err
	}
	return b.graphInfo(named, partGraph)
}

func (b *binder) dropAttributeStatement(s *parser.DropAttribute) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	b.mark(partAttribute, s.Attribute)
	if _, ok := attributeOf(info, s.Attribute.Name); !ok {
		return nil, unknownAttribute(info, s.Attribute.Name, partAttribute)
	}
	return &dropAttributeOp{info.Name, s.Attribute.Name}, nil
}

func (b *binder) insertVerticesStatement(s *parser.InsertVertices) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &insertVerticesOp{graph: info.Name, vertices: make([]storage.Vertex, len(s.Vertices))}
	for i, v := range s.Vertices {
		if op.vertices[i].Key, err = b.vertexKey(partKey(i), v.Key); err != nil {
			return nil, err
		}
		if op.vertices[i].Values, err = b.attributeValues(&info, v.Values); err != nil {
			return nil, err
		}
	}
	return op, nil
}

func (b *binder) updateVerticesStatement(s *parser.UpdateVertices) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	schema := info
	set, err := b.attributeValues(&schema, s.Values)
	if err != nil {
		return nil, err
	}
	for _, v := range set {
		if _, known := attributeOf(info, v.Name); !known && v.Value.IsMissing() {
			return nil, unknownAttribute(info, v.Name, partValue(v.Name))
		}
	}
	op := &updateVerticesOp{where: s.Where, set: s.Values}
	op.req.Graph, op.req.Set = info.Name, set
	where, err := b.where(s.Where, info, linkedToNothing)
	if err != nil {
		return nil, err
	}
	op.req.Where, op.req.Attributes = where.admits, where.attributes
	for i, v := range s.Keys {
		key, err := b.vertexKey(partKey(i), v)
		if err != nil {
			return nil, err
		}
		op.req.Vertices = append(op.req.Vertices, storage.Vertex{Key: key, Values: set})
	}
	return op, nil
}

func (b *binder) deleteVerticesStatement(s *parser.DeleteVertices) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &deleteVerticesOp{where: s.Where}
	op.req.Graph = info.Name
	where, err := b.where(s.Where, info, linkedToNothing)
	if err != nil {
		return nil, err
	}
	op.req.Where, op.req.Attributes = where.admits, where.attributes
	for i, v := range s.Keys {
		key, err := b.vertexKey(partKey(i), v)
		if err != nil {
			return nil, err
		}
		op.req.Keys = append(op.req.Keys, key)
	}
	return op, nil
}

func (b *binder) insertEdgesStatement(s *parser.InsertEdges) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &edgesOp{verb: insertVerb, graph: info.Name, edges: make([]storage.Edge, len(s.Edges))}
	for i, e := range s.Edges {
		if op.edges[i], err = b.edge(i, e, e.U, e.V); err != nil {
			return nil, err
		}
		if err := b.edgeValues(&op.edges[i], e.Values); err != nil {
			return nil, err
		}
	}
	return op, nil
}

func (b *binder) updateEdgesStatement(s *parser.UpdateEdges) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &edgesOp{verb: updateVerb, graph: info.Name}
	if op.edges, err = b.pairs(s.Pairs); err != nil {
		return nil, err
	}
	for i := range op.edges {
		if err := b.edgeValues(&op.edges[i], s.Values); err != nil {
			return nil, err
		}
	}
	return op, nil
}

func (b *binder) deleteEdgesStatement(s *parser.DeleteEdges) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &edgesOp{verb: deleteVerb, graph: info.Name}
	op.edges, err = b.pairs(s.Pairs)
	return op, err
}

func (b *binder) deleteEdgesFileStatement(s *parser.DeleteEdgesFile) (operation, error) {
	info, err := b.writeTarget(s.Graph)
	if err != nil {
		return nil, err
	}
	op := &deleteEdgesFileOp{req: DeleteEdgesFileRequest{Graph: info.Name}}
	if op.req.Path, err = b.text(partFile, s.File); err != nil {
		return nil, err
	}
	set, err := b.settings("DELETE EDGES FILE", edgePairsOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if op.req.Header, err = headerSetting(set); err != nil {
		return nil, err
	}
	if err := separatorSetting(&op.req.Separator, set); err != nil {
		return nil, err
	}
	op.req.Source, op.req.Target, op.req.SkipBad = set.text("source"), set.text("target"), set.text("on_error") == "skip"
	return op, op.req.check(b.call)
}

func (b *binder) showVerticesStatement(s *parser.ShowVertices) (operation, error) {
	info, err := b.graphIn(s.Graph, s)
	if err != nil {
		return nil, err
	}
	op := &showVerticesOp{where: s.Where}
	where, err := b.where(s.Where, info, linkedToNothing, attributeNames(info)...)
	if err != nil {
		return nil, err
	}
	op.req = VerticesRequest{Graph: info.Name, Where: where.admits, Attributes: where.attributes}
	if op.req.Limit, err = b.rowLimit(s.Limit); err != nil {
		return nil, err
	}
	op.found, err = b.resolveVertices(op.req)
	return op, err
}

func (b *binder) showNeighborsStatement(s *parser.ShowNeighbors) (operation, error) {
	info, err := b.graphIn(s.Graph, s)
	if err != nil {
		return nil, err
	}
	op := &showNeighborsOp{where: s.Where}
	vertex, err := b.vertexKey(partVertex, s.Of)
	if err != nil {
		return nil, err
	}
	where, err := b.where(s.Where, info, "", attributeNames(info)...)
	if err != nil {
		return nil, err
	}
	op.req = NeighborsRequest{Graph: info.Name, Vertex: vertex, Where: where.admits, Attributes: where.attributes}
	if op.req.Limit, err = b.rowLimit(s.Limit); err != nil {
		return nil, err
	}
	op.found, err = b.resolveNeighbors(op.req)
	return op, err
}

func (b *binder) showAttributesStatement(s *parser.ShowAttributes) (operation, error) {
	info, err := b.graphIn(s.Graph, s)
	return &showAttributesOp{info}, err
}

func (b *binder) describeVertexStatement(s *parser.DescribeVertex) (operation, error) {
	info, err := b.graphIn(s.Graph, s)
	if err != nil {
		return nil, err
	}
	op := &describeVertexOp{graph: info}
	if op.vertex, err = b.vertexKey(partVertex, s.Vertex); err != nil {
		return nil, err
	}
	if _, err := b.db.store.Vertex(b.ctx, info.Name, op.vertex); err != nil {
		return nil, b.vertexMistake(info.Name, op.vertex, err)
	}
	return op, nil
}

// rowLimit returns the number of an optional LIMIT; 0 for none.
func (b *binder) rowLimit(v parser.Value) (int, error) {
	if v == nil {
		return 0, nil
	}
	n, err := b.size(partLimit, v)
	if err == nil && n < 1 {
		err = mistake(partLimit, "the limit is %d, and must be at least 1", n)
	}
	return n, err
}

// vertexKey returns the key of a vertex that a statement names, and remembers
// where.
func (b *binder) vertexKey(at part, v parser.Value) (string, error) {
	key, err := b.keyAt(at, v)
	if err != nil {
		return "", err
	}
	if key == "" {
		return "", mistake(at, "the key of a vertex is empty")
	}
	b.remember(key, at)
	return key, nil
}

// remember notes which piece names something, so that an error about it can be
// given its position.
func (b *binder) remember(what string, at part) {
	if b.named == nil {
		b.named = map[string]part{}
	}
	if _, known := b.named[what]; !known {
		b.named[what] = at
	}
}

// pairs returns edges by their ends.
func (b *binder) pairs(list []parser.Pair) ([]storage.Edge, error) {
	edges := make([]storage.Edge, len(list))
	for i, p := range list {
		var err error
		if edges[i], err = b.edge(i, p, p.U, p.V); err != nil {
			return nil, err
		}
	}
	return edges, nil
}

// edge returns an edge by its ends, and remembers where it is named.
func (b *binder) edge(i int, node parser.Node, u, v parser.Value) (e storage.Edge, err error) {
	if e.Source, err = b.vertexKey(partKey(2*i), u); err != nil {
		return e, err
	}
	if e.Target, err = b.vertexKey(partKey(2*i+1), v); err != nil {
		return e, err
	}
	b.mark(partEdge(i), node)
	b.remember(edgeName(e), partEdge(i))
	return e, nil
}

// edgeValues puts the weight and the time of an edge into it, where they are
// given. MISSING is what an edge has that was never given any.
func (b *binder) edgeValues(e *storage.Edge, values parser.EdgeValues) error {
	if values.Weight != nil {
		weight, err := b.weight(values.Weight)
		if err != nil {
			return err
		}
		e.Weight = weight
	}
	if values.Time != nil {
		time, err := b.time(values.Time)
		if err != nil {
			return err
		}
		e.Time, e.Timed = time, true
	}
	return nil
}

func (b *binder) weight(v parser.Value) (float64, error) {
	at := partValue("weight")
	value, err := b.assigned(at, v)
	if err != nil {
		return 0, err
	}
	if text, ok := value.(Untyped); ok {
		value = text.infer()
	}
	var weight float64
	switch w := value.(type) {
	case nil:
		return 1, nil
	case int64:
		weight = float64(w)
	case float64:
		weight = w
	default:
		return 0, unexpected(at, value, "a number", "MISSING")
	}
	if !(weight > 0 && float32(weight) > 0 && weight <= math.MaxFloat32) {
		return 0, mistake(at, "the weight is %v, and must be a 32-bit number above 0", weight)
	}
	return weight, nil
}

func (b *binder) time(v parser.Value) (int64, error) {
	at := partValue("time")
	value, err := b.assigned(at, v)
	if err != nil {
		return 0, err
	}
	if text, ok := value.(Untyped); ok {
		value = string(text)
	}
	switch t := value.(type) {
	case nil:
		return csr.NoTime, nil
	case int64:
		if t != csr.NoTime {
			return t, nil
		}
	case string:
		if time, ok := format.ParseTime(t); ok {
			return time, nil
		}
	}
	return 0, unexpected(at, value, "an integer", "a date such as '2006-01-02' or '2006-01-02T15:04:05Z'", "MISSING")
}

// assigned is untyped for a place that takes MISSING, which is nil.
func (b *binder) assigned(at part, v parser.Value) (any, error) {
	if _, missing := v.(parser.Missing); missing {
		b.mark(at, v)
		return nil, nil
	}
	return b.untyped(at, v)
}

// attributeValues returns values of attributes, of the types that the graph
// says; new attributes are added to the schema, with the types of their values.
func (b *binder) attributeValues(schema *storage.GraphInfo, list []parser.Option) ([]storage.NamedValue, error) {
	var values []storage.NamedValue
	for _, o := range list {
		at := partValue(o.Name.Name)
		raw, err := b.assigned(at, o.Value)
		if err != nil {
			return nil, err
		}
		known, isKnown := attributeOf(*schema, o.Name.Name)
		value, ok := attributeValue(raw, known.Type)
		if !ok {
			return nil, unexpected(at, raw, "a text in quotes", "a number", "TRUE", "FALSE", "MISSING")
		}
		b.mark(at, o)
		if isKnown && !value.IsMissing() && value.Type() != known.Type {
			e := mistake(at, "attribute %s is %s, and the value is %s", name(known.Name), known.Type, describe(raw))
			e.Err = storage.ErrInvalid
			return nil, e
		}
		for _, earlier := range values {
			if earlier.Name == o.Name.Name {
				return nil, mistake(at, "attribute %s is given twice", name(o.Name.Name))
			}
		}
		if !isKnown && !value.IsMissing() {
			added := storage.Attribute{Name: o.Name.Name, Type: value.Type()}
			if err := added.Validate(); err != nil {
				return nil, &Error{Message: plainly(err).Error(), Err: err, part: at}
			}
			// A copy: the slice belongs to the catalogue entry.
			schema.Attributes = append(schema.Attributes[:len(schema.Attributes):len(schema.Attributes)], added)
		}
		values = append(values, storage.NamedValue{Name: o.Name.Name, Value: value})
	}
	return values, nil
}
