package block

import (
	"bytes"
	"encoding/binary"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// A place names a bucket for which the file states the number and the sum of its records. It
// consists of PlaceTop and the name of a top bucket, or of PlacePart, the number of an object
// and the name of a part. The constants are the first bytes of places.
const (
	PlaceTop  = 't'
	PlacePart = 'o'
)

// TopPlace returns the place of a top bucket.
func TopPlace(name []byte) string { return string(PlaceTop) + string(name) }

// PartPlace returns the place of a part of an object.
func PartPlace(id uint64, name []byte) string {
	return string(append(append([]byte{PlacePart}, Key64(id)...), name...))
}

// PlaceOf returns the place of the bucket at a path below the root bucket of the store. It
// returns false for a bucket for which no number and sum are stored.
func PlaceOf(path [][]byte) (string, bool) {
	switch {
	case len(path) == 1 && !bytes.Equal(path[0], SumsName):
		return TopPlace(path[0]), true
	case len(path) == 3 && bytes.Equal(path[0], ObjectsName) && len(path[1]) == 8:
		return PartPlace(IDOf(path[1]), path[2]), true
	}
	return "", false
}

// PathOf returns the path of the bucket at a place.
func PathOf(place string) [][]byte {
	if place[0] == PlacePart && len(place) > 9 {
		return [][]byte{ObjectsName, []byte(place[1:9]), []byte(place[9:])}
	}
	return [][]byte{[]byte(place[1:])}
}

// Tallies are the tallies of buckets by place; the tally of the bucket "sums" itself is a
// separate field.
type Tallies struct {
	Of   map[string]page.Tally // by place
	Sums page.Tally            // of the bucket "sums"
}

// NewTallies returns tallies without any buckets.
func NewTallies() *Tallies { return &Tallies{Of: make(map[string]page.Tally)} }

// Counted records the tally of a bucket. A walker calls it with paths from the root of the
// file.
func (s *Tallies) Counted(path [][]byte, tally page.Tally) {
	if len(path) == 2 && bytes.Equal(path[1], SumsName) {
		s.Sums = tally
	} else if place, ok := PlaceOf(path[min(1, len(path)):]); ok {
		s.Of[place] = tally
	}
}

// EncodeSum makes the sealed record of a tally, under its place: its count and its sum, 8
// bytes each, little-endian.
func EncodeSum(place string, tally page.Tally) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, ChecksumSize, ChecksumSize+16), tally.Count)
	b = binary.LittleEndian.AppendUint64(b, tally.Sum)
	return sumsSeed.Seal([]byte(place), b)
}

var sumsSeed = SeedOf(SumsName)

// DecodeSum decodes a record made by EncodeSum.
func DecodeSum(key, record []byte) (page.Tally, error) {
	body, err := sumsSeed.Open(key, record)
	if err == nil && (len(body) != 16 || len(key) < 2) {
		err = fault.Record("sum of %d bytes", len(body))
	}
	if err != nil {
		return page.Tally{}, err
	}
	return page.Tally{Count: binary.LittleEndian.Uint64(body), Sum: binary.LittleEndian.Uint64(body[8:])}, nil
}
