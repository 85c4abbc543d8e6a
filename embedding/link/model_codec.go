package link

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// The bytes of a model, little-endian: the magic, a version, the length of the body
// and the CRC-32C of all that precedes and of the body, then the body:
//
//	number of embeddings, bias
//	count of terms, each with name, number of the embedding + 1, raw, log, unit, offset
//
// Counts and numbers of embeddings are uint32, names a count and bytes, other numbers
// float64.
const (
	modelMagic   = "htlinkmd"
	modelVersion = 2
	modelHead    = len(modelMagic) + 4 + 4 + 4
	// maxModel bounds what is read: more than the body of any model.
	maxModel = 1 << 16
)

// WriteTo writes the model; the same model gives the same bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	var body bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				_ = binary.Write(&body, binary.LittleEndian, uint32(len(s)))
				v = []byte(s)
			}
			_ = binary.Write(&body, binary.LittleEndian, v) // of a fixed size, to a buffer: it cannot fail
		}
	}
	put(uint32(m.embeddings), m.bias, uint32(len(m.terms)))
	for _, t := range m.terms {
		put(t.name, uint32(t.of+1), t.raw, t.log, t.unit, t.offset)
	}
	out := make([]byte, 0, modelHead+body.Len())
	out = append(out, modelMagic...)
	out = binary.LittleEndian.AppendUint32(out, modelVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(body.Len()))
	out = binary.LittleEndian.AppendUint32(out, modelSum(out, body.Bytes()))
	n, err := w.Write(append(out, body.Bytes()...))
	if err != nil {
		return int64(n), fmt.Errorf("model: %w", err)
	}
	return int64(n), nil
}

func modelSum(head, body []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(head, table), table, body)
}

// ReadModel reads a model that WriteTo has written, and nothing after it. Invalid
// bytes give ErrModel, and bytes of a later version ErrVersion. It allocates no
// more than some megabytes, whatever the bytes say.
func ReadModel(r io.Reader) (*Model, error) {
	head := make([]byte, modelHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	at := len(modelMagic)
	length := binary.LittleEndian.Uint32(head[at+4:])
	switch version := binary.LittleEndian.Uint32(head[at:]); {
	case string(head[:at]) != modelMagic:
		return nil, fmt.Errorf("%w: wrong first bytes", ErrModel)
	case version != modelVersion:
		return nil, fmt.Errorf("version %d: %w", version, ErrVersion)
	case length > maxModel:
		return nil, fmt.Errorf("%w: %d bytes", ErrModel, length)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if modelSum(head[:at+8], body) != binary.LittleEndian.Uint32(head[at+8:]) {
		return nil, fmt.Errorf("%w: wrong checksum", ErrModel)
	}
	d := decoder{rest: body}
	m := d.model()
	if d.fault == "" && len(d.rest) > 0 {
		d.fault = "bytes after the end"
	}
	if d.fault != "" {
		return nil, fmt.Errorf("%w: %s", ErrModel, d.fault)
	}
	return m, nil
}

// decoder reads a body; after its first fault it returns zeros.
type decoder struct {
	rest  []byte
	fault string
}

func (d *decoder) take(n int) []byte {
	if d.fault != "" || n > len(d.rest) {
		d.fail("ends too early")
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) fail(fault string) {
	if d.fault == "" {
		d.fault = fault
	}
	d.rest = nil
}

// count reads a number that is at most most.
func (d *decoder) count(most int) int {
	b := d.take(4)
	if b == nil {
		return 0
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) > int64(most) {
		d.fail("a count is too large")
		return 0
	}
	return int(n)
}

func (d *decoder) number() float64 {
	b := d.take(8)
	if b == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if x-x != 0 {
		d.fail("a number is not finite")
		return 0
	}
	return x
}

func (d *decoder) name() string { return string(d.take(d.count(64))) }

func (d *decoder) model() *Model {
	m := &Model{embeddings: d.count(mostEmbeddings), bias: d.number()}
	all := columnsOf(true, m.embeddings)
	for range d.count(len(all)) {
		t := term{column: column{name: d.name(), of: d.count(m.embeddings) - 1}, raw: d.number(), log: d.number(), unit: d.number(), offset: d.number()}
		if i := slices.IndexFunc(all, func(c column) bool { return c.name == t.name && c.of == t.of }); i < 0 {
			d.fail("unknown term")
		} else {
			t.column = all[i]
		}
		if d.fault == "" && !(t.unit > 0) {
			d.fail("a unit is not above 0")
		}
		m.terms = append(m.terms, t)
	}
	if len(m.terms) == 0 {
		d.fail("no terms")
	}
	return m
}
