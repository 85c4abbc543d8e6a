package storage

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// valueBatch is the values that the items of one call give to vertices or to edges.
type valueBatch[P block.Place] struct {
	record   graphs.Record       // with the attributes that are new
	requests [][]valueRequest[P] // by attribute, in the order of the batch
	changed  []bool              // whether an item of the batch gave or removed a value
}

// valueRequest is a value that an item of a batch gives to a vertex or an edge.
type valueRequest[P block.Place] struct {
	place P
	item  uint32 // number in the batch
	order int    // among the requests of the attribute
	value Value
}

// request gives a value its attribute. An attribute that the graph does not have is added with the
// type of the value; nothing is written yet. If strict is set, an unknown attribute of which a
// value is to be removed is refused.
func (b *valueBatch[P]) request(item uint32, v NamedValue, strict bool) (err error) {
	schema := graphs.SchemaOf[P](&b.record)
	at := schema.Find(v.Name)
	switch {
	case at < 0 && v.Value.IsMissing() && strict:
		return &NotFoundError{Kind: "attribute", Name: v.Name}
	case at < 0 && v.Value.IsMissing():
		return nil
	case at < 0:
		if at, err = schema.Add(Attribute{Name: v.Name, Type: v.Value.Type()}); err != nil {
			return err
		}
	}
	value, err := block.ValueFor((*schema.List)[at].Attribute(), v.Value)
	if err != nil {
		return err
	}
	for len(b.requests) <= at {
		b.requests = append(b.requests, nil)
	}
	b.requests[at] = append(b.requests[at], valueRequest[P]{item: item, order: len(b.requests[at]), value: value})
	return nil
}

// apply writes the values, attribute by attribute. placeOf is what an item of the batch is about, and
// whether it is there: otherwise its values are left out.
func (b *valueBatch[P]) apply(t *tree.Tx, g *graphState, placeOf func(item uint32) (place P, there bool)) error {
	known := len(*graphs.SchemaOf[P](&g.record).List)
	*graphs.SchemaOf[P](&g.record).List = *graphs.SchemaOf[P](&b.record).List
	g.record.NextAttribute, g.record.NextEdgeAttribute = b.record.NextAttribute, b.record.NextEdgeAttribute
	list := graphs.SchemaOf[P](&g.record).Own()
	g.changed = g.changed || len(list) > known
	for i, requests := range b.requests {
		kept := requests[:0]
		for _, r := range requests {
			there := false
			if r.place, there = placeOf(r.item); there {
				kept = append(kept, r)
			}
		}
		if err := b.applyTo(t, g, &list[i], kept); err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeValues[P](g.name, list[i].Name), err)
		}
	}
	return nil
}

// applyTo sets the values of one attribute in the order of the batch, and writes those
// that differ in the end.
func (b *valueBatch[P]) applyTo(t *tree.Tx, g *graphState, a *graphs.AttributeRecord, requests []valueRequest[P]) error {
	requests, err := block.MergeSort(t.Ctx, requests, func(a, b valueRequest[P]) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.order, b.order))
	})
	if err != nil {
		return err
	}
	var places []P
	for i, r := range requests {
		if i == 0 || r.place != requests[i-1].place {
			places = append(places, r.place)
		}
	}
	values, err := graphs.ValuesAt(t, &g.record, *a, places)
	if err != nil {
		return err
	}
	var edits []block.Edit[block.PlaceValue[P]]
	for i, place := range places {
		was, now := values[i], values[i]
		for len(requests) > 0 && requests[0].place == place {
			b.changed[requests[0].item] = b.changed[requests[0].item] || requests[0].value != now
			now, requests = requests[0].value, requests[1:]
		}
		if now != was {
			edits = append(edits, block.Edit[block.PlaceValue[P]]{Entry: block.PlaceValue[P]{Place: place, Value: now}, Remove: now.IsMissing()})
			a.Values += block.OneIf(!now.IsMissing()) - block.OneIf(!was.IsMissing())
			attribute(g, place)
		}
	}
	if len(edits) > 0 {
		a.Computed = nil
	}
	return editValues(t, &g.record, *a, edits)
}

// attribute notes that the attributes of a vertex, or those of an edge of two vertices, changed.
func attribute[P block.Place](g *graphState, place P) {
	g.changed = true
	if slot, vertex := any(place).(uint32); vertex {
		g.attributed = append(g.attributed, slot)
		return
	}
	arc := block.Arc(place)
	g.attributed = append(g.attributed, arc.Source(), arc.Target())
}

// DropAttribute removes an attribute from all vertices of a graph. An unknown
// one is a NotFoundError. The cost is that of its blocks.
func (x *Tx) DropAttribute(graph, name string) error { return dropNamed[uint32](x, graph, name) }

// DropEdgeAttribute removes an attribute from all edges of a graph, as DropAttribute does from
// its vertices.
func (x *Tx) DropEdgeAttribute(graph, name string) error { return dropNamed[block.Arc](x, graph, name) }

func dropNamed[P block.Place](x *Tx, graph, name string) error {
	at := 0
	find := func(g *graphState) error {
		if at = graphs.SchemaOf[P](&g.record).Find(name); at < 0 {
			return &NotFoundError{Kind: "attribute", Name: name}
		}
		return nil
	}
	_, err := x.write(graph, find, func(g *graphState) error {
		schema := graphs.SchemaOf[P](&g.record)
		a := (*schema.List)[at]
		*schema.List = slices.Delete(schema.Own(), at, at+1)
		g.changed = true
		return fault.Corrupt(x.tx.Path, graphs.DescribeValues[P](graph, name), dropAttribute[P](x.tx, g, a))
	})
	return err
}

func dropAttribute[P block.Place](t *tree.Tx, g *graphState, a graphs.AttributeRecord) error {
	err := noteAll[P](t, g, a)
	if err != nil || g.record.Object == 0 {
		return err
	}
	p, found, err := t.FindPart(g.record.Object, block.ValuePart[P]())
	if err != nil || !found {
		return err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	return t.DeleteRange(p, prefix, func(key []byte) bool { return bytes.HasPrefix(key, prefix) })
}

// noteAll notes that all values of an attribute changed.
func noteAll[P block.Place](t *tree.Tx, g *graphState, a graphs.AttributeRecord) error {
	return graphs.EachValue(t, &g.record, a, func(place P, _ Value) error {
		attribute(g, place)
		return nil
	})
}
