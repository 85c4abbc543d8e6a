package graphs

import (
	"math"
	"strconv"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// partEdge is an edge by its position in the statement, partValue an attribute with
// its value.
func partEdge(i int) fault.Part { return fault.Part("edge " + strconv.Itoa(i)) }

func partValue(attribute string) fault.Part { return fault.Part("value " + attribute) }

func edgeName(e storage.Edge) string { return e.Source + " – " + e.Target }

// pairs returns the edges of a graph that a statement names by their ends.
func pairs(b *engine.Binder, graph parser.Ident, list []parser.Pair) edgesRequest {
	req := edgesRequest{b.Name(fault.Graph, graph), make([]storage.Edge, len(list))}
	for i, p := range list {
		req.edges[i] = edge(b, i, p, p.U, p.V)
	}
	return req
}

// edge returns an edge by its ends, and remembers where it is named.
func edge(b *engine.Binder, i int, node parser.Node, u, v parser.Value) storage.Edge {
	e := storage.Edge{Source: b.VertexKey(engine.PartKey(2*i), u), Target: b.VertexKey(engine.PartKey(2*i+1), v)}
	b.Mark(partEdge(i), node)
	b.Remember(edgeName(e), partEdge(i))
	return e
}

// edgeValues puts the weight, the time and values of attributes of an edge into it, where they are
// given. MISSING is what an edge has that was never given any. schema is as for attributeValues.
func edgeValues(b *engine.Binder, e *storage.Edge, values parser.EdgeValues, schema *[]storage.Attribute) {
	if values.Weight != nil {
		e.Weight = weight(b, values.Weight)
	}
	if values.Time != nil {
		e.Time, e.Dated = bindTime(b, values.Time)
		e.Timed = true
	}
	if len(values.Others) > 0 {
		e.Values = attributeValues(b, schema, storage.Attribute.ValidateEdge, values.Others)
	}
}

// edgeSchema is the attributes of the edges of a graph, for edgeValues.
func edgeSchema(b *engine.Binder, graph string) *[]storage.Attribute {
	info := b.Graph(graph)
	return &info.EdgeAttributes
}

func weight(b *engine.Binder, v parser.Value) float64 {
	at := partValue("weight")
	value := assigned(b, at, v)
	if text, ok := value.(rows.Untyped); ok {
		value = text.Infer()
	}
	var weight float64
	switch w := value.(type) {
	case nil:
		return 1
	case int64:
		weight = float64(w)
	case float64:
		weight = w
	default:
		b.Fail(bind.Unexpected(at, value, "a number", "MISSING"))
	}
	if !(weight > 0 && float32(weight) > 0 && weight <= math.MaxFloat32) {
		b.Fail(fault.New(at, "the weight is %v, and must be a 32-bit number above 0", weight))
	}
	return weight
}

// time reads a timestamp, and whether it is a date.
func bindTime(b *engine.Binder, v parser.Value) (time int64, dated bool) {
	at := partValue("time")
	value := assigned(b, at, v)
	if text, ok := value.(rows.Untyped); ok {
		value = string(text)
	}
	switch t := value.(type) {
	case nil:
		return csr.NoTime, false
	case int64:
		if t != csr.NoTime {
			return t, false
		}
	case string:
		if time, dated, ok := format.ParseTime(t); ok {
			return time, dated
		}
	}
	b.Fail(bind.Unexpected(at, value, "an integer", "a date such as '2006-01-02' or '2006-01-02T15:04:05Z'", "MISSING"))
	return 0, false
}

// assigned is Untyped for a place that takes MISSING, which is nil.
func assigned(b *engine.Binder, at fault.Part, v parser.Value) any {
	if _, missing := v.(parser.Missing); missing {
		b.Mark(at, v)
		return nil
	}
	return b.Untyped(at, v)
}

// attributeValues returns values of attributes, of the types that the schema
// says; new attributes are added to it, with the types of their values, unless check refuses them.
func attributeValues(b *engine.Binder, schema *[]storage.Attribute, check func(storage.Attribute) error, list []parser.Option) (values []storage.NamedValue) {
	for _, o := range list {
		at := partValue(o.Name.Name)
		raw := assigned(b, at, o.Value)
		known, isKnown := session.AttributeIn(*schema, o.Name.Name)
		value, ok := conditions.AttributeValue(raw, known.Type)
		if !ok {
			b.Fail(bind.Unexpected(at, raw, "a text in quotes", "a number", "TRUE", "FALSE", "MISSING"))
		}
		b.Mark(at, o)
		if isKnown && !value.IsMissing() && value.Type() != known.Type {
			b.Fail(fault.New(at, "attribute %s is %s, and the value is %s", fault.Name(known.Name), known.Type, bind.Describe(raw)).
				WithErr(storage.ErrInvalid))
		}
		for _, earlier := range values {
			if earlier.Name == o.Name.Name {
				b.Fail(fault.New(at, "attribute %s is given twice", fault.Name(o.Name.Name)))
			}
		}
		if !isKnown && !value.IsMissing() {
			added := storage.Attribute{Name: o.Name.Name, Type: value.Type()}
			if err := check(added); err != nil {
				b.Fail(&fault.Error{Message: err.Error(), Err: err, At: at})
			}
			// A copy: the slice belongs to the catalogue entry.
			*schema = append((*schema)[:len(*schema):len(*schema)], added)
		}
		values = append(values, storage.NamedValue{Name: o.Name.Name, Value: value})
	}
	return values
}

type edgesRequest struct {
	graph string
	edges []storage.Edge
}

// checkEdges returns an Error for an unknown graph. The vertices are looked up in
// the transaction.
func checkEdges(c *engine.Call, req edgesRequest) (engine.Nothing, error) {
	return engine.Nothing{}, c.CheckGraph(req.graph)
}

// planEdges is the plan of the statements that write edges; step is what they do.
func planEdges(step string) func(edgesRequest, engine.Nothing) *plan.Plan {
	return func(req edgesRequest, _ engine.Nothing) *plan.Plan {
		return writePlan(step, fault.Count(int64(len(req.edges)), "edge"), req.graph)
	}
}

// changeEdges runs the statements that write edges, each in one transaction.
func changeEdges(write func(tx *storage.Tx, graph string, edges []storage.Edge) (storage.WriteStats, error)) func(*engine.Call, edgesRequest, engine.Nothing) (WriteResult, error) {
	return func(c *engine.Call, req edgesRequest, _ engine.Nothing) (WriteResult, error) {
		var info storage.GraphInfo
		result, err := changeBatched(c, req.graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			stats, err := write(tx, req.graph, req.edges)
			if err == nil {
				info, err = tx.Graph(req.graph)
			}
			return stats, err
		})
		if err != nil {
			return result, err
		}
		var timed, dated int64
		for _, e := range req.edges {
			if e.Timed && e.Time != csr.NoTime {
				timed++
				if e.Dated {
					dated++
				}
			}
		}
		noteTimes(c, info.Times, timed, dated)
		result.Notices = c.Notices
		return result, nil
	}
}

// noteTimes gives a notice of times that came in another form than that of the graph; timed of
// the edges have a time, and dated of them a date.
func noteTimes(c *engine.Call, form format.TimeForm, timed, dated int64) {
	switch numbers := timed - dated; {
	case form == format.TimeNumbers && dated > 0:
		c.Notice("%s with a date, stored as seconds since 1970 like the other times, which are numbers", fault.Count(dated, "edge"))
	case form != format.TimeNumbers && numbers > 0:
		c.Notice("%s with a number for a time, taken as seconds since 1970 like the other times, which are dates", fault.Count(numbers, "edge"))
	}
}
