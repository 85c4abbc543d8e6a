package columnfile

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// nest returns a record of one field that has depth records in each other.
func nest(depth int) []byte {
	return append(bytes.Repeat([]byte{1<<4 | thriftStruct}, depth), make([]byte, depth+1)...)
}

// Values that are unknown, or of another type than expected, are skipped, whatever they
// have in them.
func TestReadThrift_Skips(t *testing.T) {
	values := []byte{
		1<<4 | thriftDouble, 1, 2, 3, 4, 5, 6, 7, 8,
		1<<4 | thriftStruct, 1<<4 | thriftByte, 7, 1<<4 | thriftTrue, 0, // in place of a schema
		1<<4 | thriftI64, 14, // rows
		1<<4 | thriftList, 2<<4 | thriftTrue, 1, 2, // in place of row groups
		1<<4 | thriftList, 2<<4 | thriftList, 1<<4 | thriftBinary, 1, 'x', 0<<4 | thriftI16, // in place of entries
		thriftMap, 40, 1, thriftBinary<<4 | thriftUUID, 1, 'k', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		1<<4 | thriftMap, 0,
		1<<4 | thriftSet, 0xf0 | thriftFalse, 1, 2,
		1<<4 | thriftFalse, 0,
	}
	for n := range values {
		var m metadata
		if _, whole, err := readThrift(values[:n], m.fields); whole || err != nil {
			t.Errorf("%d of %d bytes: %v, %v", n, len(values), whole, err)
		}
	}
	var m metadata
	if size, whole, err := readThrift(append(slices.Clone(values), 99), m.fields); size != len(values) || !whole || err != nil || m.rows != 7 || m.schema != nil || m.groups != nil || len(m.entries) != 0 {
		t.Errorf("%d bytes, %v, %v, %+v", size, whole, err, m)
	}
}

func TestReadThrift_Limits(t *testing.T) {
	lists := func(kind byte, depth int) []byte {
		return append(append([]byte{9<<4 | thriftList}, bytes.Repeat([]byte{1<<4 | kind}, depth)...), 0, 0)
	}
	for name, test := range map[string]struct {
		data []byte
		good bool
	}{
		"records": {nest(maxThriftDepth - 1), true}, "deep records": {nest(maxThriftDepth), false},
		"lists": {lists(thriftList, maxThriftDepth-2), true}, "deep lists": {lists(thriftList, maxThriftDepth+1), false},
		"many items": {append([]byte{9<<4 | thriftList, 0xf0 | thriftByte, 0x80, 0x80, 0x80, 1}, make([]byte, 1<<22)...), false},
		"a type":     {[]byte{9<<4 | 14, 0}, false},
		"an integer": {append([]byte{3<<4 | thriftI64}, bytes.Repeat([]byte{0xff}, 11)...), false},
	} {
		var m metadata
		if _, whole, err := readThrift(test.data, m.fields); !whole || test.good != (err == nil) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", name, whole, err)
		}
	}
	// A list that says that it has more items than there are bytes.
	var m metadata
	if _, whole, err := readThrift([]byte{2<<4 | thriftList, 0xf0 | thriftStruct, 0xff, 0xff, 3, 0}, m.fields); whole || err != nil || len(m.schema) > 0 {
		t.Errorf("a short list: %v, %v, %d", whole, err, len(m.schema))
	}
}

// Older files have converted types instead of logical ones.
func TestKindOf(t *testing.T) {
	for _, test := range []struct {
		e    element
		want Kind
	}{
		{element{physical: physicalInt64, converted: convertedNone}, Integer},
		{element{physical: physicalBytes, converted: convertedNone}, Text},
		{element{physical: physicalBytes, converted: convertedEnum}, Text},
		{element{physical: physicalInt64, converted: convertedUTF8}, Other},
		{element{physical: physicalInt32, converted: convertedDate}, Days},
		{element{physical: physicalInt64, converted: convertedMillis}, Millis},
		{element{physical: physicalInt64, converted: convertedMicros}, Micros},
		{element{physical: physicalInt64, converted: convertedUint64}, Unsigned},
		{element{physical: physicalInt32, converted: convertedUint8}, Integer},
		{element{physical: physicalInt32, converted: convertedDecimal, scale: 2}, Double},
		{element{physical: physicalInt64, converted: convertedNone, logical: logicalDecimal, scale: 18}, Double},
		{element{physical: physicalInt64, converted: convertedDecimal, scale: 19}, Other},
		{element{physical: physicalBytes, converted: convertedDecimal}, Other},
		{element{physical: physicalDouble, converted: convertedDecimal}, Other},
		{element{physical: physicalInt64, converted: convertedMicros, logical: logicalTimestamp, unit: unitNanos}, Nanos},
		{element{physical: physicalInt64, converted: convertedNone, logical: logicalTimestamp}, Other},
		{element{physical: physicalInt32, converted: convertedNone, logical: logicalNull}, Integer},
		{element{physical: physicalInt32, converted: convertedNone, logical: 7}, Other}, // TIME
		{element{physical: 3, converted: convertedNone}, Other},                         // INT96
	} {
		if got := kindOf(&test.e); got != test.want {
			t.Errorf("%+v is read as %s, want %s", test.e, got, test.want)
		}
	}
}
