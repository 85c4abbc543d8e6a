package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"heavytail/storage/format/internal/columnfile"
)

// values are decoded values. The kind of the column decides which slice has them.
type values struct {
	ints    []int64
	floats  []float64
	data    []byte   // texts, one after the other
	offsets []uint32 // of the beginnings of texts in data, and of the end

	// Values as the library returns them, before they are converted.
	shorts []int32
	halves []float32
	stamps []deprecated.Int96
}

func (v *values) text(i int) []byte { return v.data[v.offsets[i]:v.offsets[i+1]] }

// decode decodes n values of a page.
func (v *values) decode(f *file, l *leaf, data []byte, in encoding.Encoding, n int) (err error) {
	switch l.physical {
	case format.Boolean:
		return v.bools(f, data, in, n)
	case format.Int32:
		if v.shorts, err = grow(f, v.shorts, n); err != nil {
			return err
		}
		if v.shorts, err = in.DecodeInt32(v.shorts, data); err != nil {
			return err
		}
		if v.ints, err = grow(f, v.ints, n); err != nil {
			return err
		}
		for i, x := range v.shorts[:n] {
			v.ints[i] = int64(x)
			if l.form == formUnsigned {
				v.ints[i] = int64(uint32(x))
			}
		}
	case format.Int64:
		if v.ints, err = grow(f, v.ints, n); err != nil {
			return err
		}
		if v.ints, err = in.DecodeInt64(v.ints, data); err != nil {
			return err
		}
	case format.Int96:
		return v.times(f, data, in, n)
	case format.Float:
		if v.halves, err = grow(f, v.halves, n); err != nil {
			return err
		}
		if v.halves, err = in.DecodeFloat(v.halves, data); err != nil {
			return err
		}
		if v.floats, err = grow(f, v.floats, n); err != nil {
			return err
		}
		for i, x := range v.halves[:n] {
			v.floats[i] = float64(x)
		}
	case format.Double:
		if v.floats, err = grow(f, v.floats, n); err != nil {
			return err
		}
		v.floats, err = in.DecodeDouble(v.floats, data)
		return err
	default:
		return v.texts(f, l, data, in, n)
	}
	if l.form != formDecimal {
		return nil
	}
	if v.floats, err = grow(f, v.floats, n); err != nil {
		return err
	}
	for i, x := range v.ints[:n] {
		v.floats[i] = float64(x) / math.Pow10(l.scale)
	}
	return nil
}

// bools sets ints to truth values, of which eight are in a byte.
func (v *values) bools(f *file, data []byte, in encoding.Encoding, n int) (err error) {
	if v.data, err = grow(f, v.data, (n+padding)/8); err != nil {
		return err
	}
	if v.data, err = in.DecodeBoolean(v.data, data); err != nil {
		return err
	}
	if v.ints, err = grow(f, v.ints, n); err != nil {
		return err
	}
	for i := range v.ints {
		v.ints[i] = int64(v.data[i/8] >> (i % 8) & 1)
	}
	return nil
}

// times sets ints to the microseconds since 1970 of days, which are counted from -4713, and
// nanoseconds: nanoseconds of years before 1678 or after 2262 are more than 64 bits hold.
func (v *values) times(f *file, data []byte, in encoding.Encoding, n int) (err error) {
	if v.stamps, err = grow(f, v.stamps, n); err != nil {
		return err
	}
	if v.stamps, err = in.DecodeInt96(v.stamps, data); err != nil {
		return err
	}
	if v.ints, err = grow(f, v.ints, n); err != nil {
		return err
	}
	const epoch, dayMicros = 2_440_588, 86_400_000_000
	for i, x := range v.stamps[:n] {
		// Spark writes the farthest years by an overflow, which the same arithmetic takes back.
		v.ints[i] = (int64(int32(x[2]))-epoch)*dayMicros + int64(uint64(x[1])<<32|uint64(x[0]))/1000
	}
	return nil
}

// texts sets data and offsets to texts, or floats to numbers that are stored as such.
func (v *values) texts(f *file, l *leaf, data []byte, in encoding.Encoding, n int) (err error) {
	if v.data, err = grow(f, v.data, len(data)); err != nil {
		return err
	}
	if v.offsets, err = grow(f, v.offsets, n+1); err != nil {
		return err
	}
	if l.physical == format.ByteArray {
		v.data, v.offsets, err = in.DecodeByteArray(v.data, data, v.offsets)
	} else {
		v.data, err = in.DecodeFixedLenByteArray(v.data, data, l.length)
		for i := range v.offsets {
			v.offsets[i] = uint32(i * l.length)
		}
	}
	if err != nil {
		return err
	}
	if len(v.offsets) <= n || int(v.offsets[n]) > len(v.data) {
		return errShort()
	}
	switch l.form {
	case formUUID:
		return v.uuids(f, n)
	case formHalf, formDecimal:
		if v.floats, err = grow(f, v.floats, n); err != nil {
			return err
		}
		for i := range v.floats {
			if v.floats[i], err = l.number(v.text(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// number is the number that the bytes of a decimal or of a half-precision number have.
func (l *leaf) number(text []byte) (float64, error) {
	if l.form == formHalf {
		return columnfile.Half(binary.LittleEndian.Uint16(text)), nil
	}
	const longest = 64 // bytes; a decimal of 38 digits takes 16
	if len(text) > longest {
		return 0, limited("a decimal of %d bytes exceeds the limit of %d", len(text), longest)
	}
	return columnfile.Decimal(text, l.scale), nil
}

// uuids replaces identifiers of 16 bytes by their usual texts.
func (v *values) uuids(f *file, n int) (err error) {
	const size = 36
	var texts []byte
	if texts, err = grow(f, texts, n*size); err != nil {
		return err
	}
	for i := range n {
		id, to := v.text(i), texts[i*size:]
		at := 0
		for _, part := range []int{4, 2, 2, 2, 6} {
			if at > 0 {
				to[0], to = '-', to[1:]
			}
			hex.Encode(to, id[at:at+part])
			at, to = at+part, to[2*part:]
		}
	}
	for i := range v.offsets {
		v.offsets[i] = uint32(i * size)
	}
	f.memory -= int64(cap(v.data))
	v.data = texts
	return nil
}
