package graphtext

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/internal/excerpt"
)

// jsonKey is the id of a node, or an end of a link.
type jsonKey struct {
	text   []byte // nil if there is none
	number bool   // it is written as a number
}

// jsonLink is a link that was read, and whose ends may still be places.
type jsonLink struct {
	source, target jsonKey
	edge           reading.Edge // without ends
}

// maxHeld is how many links above the nodes are held in memory, about 100 bytes each.
const maxHeld = 1 << 20

// jsonEnds decides what the ends of links are: ids or places of nodes.
type jsonEnds struct {
	asked format.Ends
	mode  format.Ends // EndsAuto until the first link was seen
	firm  bool        // the mode is certain: nothing that follows contradicts it

	nodes   int64
	with    int64          // nodes with an id
	plain   bool           // the id of each node is its place, and all are of one kind
	texts   bool           // while plain, that they are texts
	list    format.KeyList // the keys of the nodes, by place
	kinds   []uint64       // a bit for each node whose id is a number
	numbers int64          // their number
	similar int64          // ids that are texts and look like numbers

	// A bit for each number below that of the nodes which is an id, and which is the text of one.
	// They are made when the first link needs them.
	isID, isText []uint64

	held      []jsonLink
	ids       int64 // ends that are ids, of links whose ends could all be places
	places    int64 // ends that are places and no ids
	lookalike int64 // ends that are texts of ids, but numbers
}

func newJSONEnds(asked format.Ends) jsonEnds {
	e := jsonEnds{asked: asked, plain: true}
	if asked == format.EndsID || asked == format.EndsIndex {
		e.mode, e.firm = asked, true
	} else {
		e.mode = format.EndsAuto
	}
	return e
}

// looksNumeric reports whether a text is the form in which a number would be a key.
func looksNumeric(text []byte) bool {
	return len(text) > 0 && decimal.Is(text) && decimal.Canonical(string(text)) == string(text)
}

// node takes the id of the next node, which without an id gets its place.
func (e *jsonEnds) node(id *jsonKey) {
	place := e.nodes
	e.nodes++
	if id.text == nil {
		id.text, id.number = strconv.AppendInt(nil, place, 10), true
	} else {
		e.with++
	}
	e.list.Append(id.text)
	if place%64 == 0 {
		e.kinds = append(e.kinds, 0)
	}
	if id.number {
		e.kinds[place/64] |= 1 << (place % 64)
		e.numbers++
	} else if looksNumeric(id.text) {
		e.similar++
	}
	if e.plain {
		var digits [20]byte
		e.texts = e.texts || place == 0 && !id.number
		e.plain = e.texts != id.number && bytes.Equal(id.text, strconv.AppendInt(digits[:0], place, 10))
	}
}

func (e *jsonEnds) isNumber(place int) bool { return e.kinds[place/64]>>(place%64)&1 != 0 }

// complete ends the nodes. The reason is not empty if two of them with different ids would be one
// vertex.
func (e *jsonEnds) complete() (reason string) {
	if e.numbers > 0 && e.similar > 0 {
		kinds := make(map[string]bool)
		for place := range e.list.Len() {
			key, number := e.list.At(place), e.isNumber(place)
			if before, known := kinds[string(key)]; known && before != number {
				return fmt.Sprintf("the number %s and the text %s are ids of two nodes, and would be one vertex", key, excerpt.Of(key))
			}
			if number || looksNumeric(key) {
				kinds[string(key)] = number
			}
		}
	}
	if e.firm && e.mode == format.EndsID {
		e.list, e.kinds = format.KeyList{}, nil
	}
	return ""
}

// index makes isID and isText.
func (e *jsonEnds) index() {
	e.isID, e.isText = make([]uint64, len(e.kinds)), make([]uint64, len(e.kinds))
	for at := range e.list.Len() {
		number := e.isNumber(at)
		if i := place(jsonKey{e.list.At(at), true}, e.nodes); i >= 0 && (number || looksNumeric(e.list.At(at))) {
			if number {
				e.isID[i/64] |= 1 << (i % 64)
			} else {
				e.isText[i/64] |= 1 << (i % 64)
			}
		}
	}
}

// hold takes a link that is above the nodes if its meaning depends on them.
func (e *jsonEnds) hold(l jsonLink) bool {
	if e.mode == format.EndsAuto && (place(l.source, math.MaxInt64) < 0 || place(l.target, math.MaxInt64) < 0) {
		e.mode, e.firm = format.EndsID, true
	}
	if e.mode == format.EndsID {
		return false
	}
	l.source.text, l.target.text, l.edge.Values = bytes.Clone(l.source.text), bytes.Clone(l.target.text), reading.Cloned(l.edge.Values)
	e.held = append(e.held, l)
	return true
}

// place returns the place that an end means among n nodes, or -1 if it can mean none.
func place(end jsonKey, n int64) int64 {
	if !end.number || len(end.text) == 0 || len(end.text) > 18 {
		return -1
	}
	i := int64(0)
	for _, c := range end.text {
		if c < '0' || c > '9' {
			return -1
		}
		i = 10*i + int64(c-'0')
	}
	if i >= n {
		return -1
	}
	return i
}

const decideEnds = "ends := 'id' or ends := 'index' decides"

// resolve replaces ends that are places by the keys of the nodes. The nodes were read before. The
// reason is not empty if the link is malformed.
func (e *jsonEnds) resolve(l *jsonLink) (reason string) {
	if e.firm && e.mode == format.EndsID {
		return ""
	}
	at := [2]int64{place(l.source, e.nodes), place(l.target, e.nodes)}
	outside := l.source
	if at[0] >= 0 {
		outside = l.target
	}
	possible := at[0] >= 0 && at[1] >= 0
	switch {
	case e.firm && !possible:
		return fmt.Sprintf("the end %s of a link is no place among %d nodes", excerpt.Of(outside.text), e.nodes)
	case e.firm:
		return e.take(l, at)
	case !possible && e.with == 0 && e.nodes > 0 && !outside.number:
		return fmt.Sprintf("the end %s of a link is a text, and the nodes have no id; ends := 'id' reads it as a vertex of its own", excerpt.Of(outside.text))
	case e.plain && e.with == 0 && e.nodes > 0:
		return "" // places are the keys
	case !possible && e.mode == format.EndsIndex:
		return fmt.Sprintf("the end %s of a link is no place of a node, as the ends before are; %s", excerpt.Of(outside.text), decideEnds)
	case !possible || e.plain:
		e.mode, e.firm = format.EndsID, true
		e.list, e.kinds = format.KeyList{}, nil
		return ""
	}
	if e.isID == nil {
		e.index()
	}
	ids := 0
	for _, i := range at {
		switch {
		case e.isID[i/64]>>(i%64)&1 != 0:
			ids++
		case e.isText[i/64]>>(i%64)&1 != 0:
			e.lookalike++
		}
	}
	e.ids += int64(ids)
	e.places += int64(2 - ids)
	switch {
	case e.mode == format.EndsIndex && ids > 0:
		return "the end of a link is an id of a node, and the ends before are only places; " + decideEnds
	case e.mode == format.EndsIndex || ids == 0 && e.mode == format.EndsAuto:
		e.mode = format.EndsIndex
		return e.take(l, at)
	}
	e.mode = format.EndsID
	return ""
}

// take replaces the ends by the keys of the nodes at their places.
func (e *jsonEnds) take(l *jsonLink, at [2]int64) (reason string) {
	l.source.text, l.target.text = e.list.At(int(at[0])), e.list.At(int(at[1]))
	if len(l.source.text) == 0 || len(l.target.text) == 0 {
		return "an end of a link is a node that is malformed"
	}
	return ""
}

// doubt returns the reason why the ends have two meanings, or "".
func (e *jsonEnds) doubt() string {
	switch {
	case e.firm:
	case e.mode == format.EndsID && e.places > 0:
		return fmt.Sprintf("of the ends of links %d are ids of nodes, and %d can only be their places; %s", e.ids, e.places, decideEnds)
	case e.mode == format.EndsIndex && e.lookalike == e.places:
		return "the ends of links are numbers which can be places of nodes, and ids of nodes which are texts; " + decideEnds
	}
	return ""
}

// report adds what was chosen.
func (e *jsonEnds) report(s *reading.Stats) {
	if without := e.nodes - e.with; without > 0 {
		s.RemarkMany("nodes without an id, which have their place as key", "", without, 0, "")
	}
	if e.mode == format.EndsIndex && e.asked != format.EndsIndex {
		s.RemarkMany("ends of links read as places of nodes, counted from 0", "", e.places, 0, "ends := 'id' reads them as ids")
	}
}
