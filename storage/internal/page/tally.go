package page

import (
	"hash/crc32"
)

// Tally is the number and the sum of the records of a bucket. A record
// contributes its key and the first four bytes of its value, which are a
// checksum of all of it; a nested bucket contributes its key. The sum does not
// depend on the order, so it can be updated when records are added and
// removed. It wraps around, and so does Count.
type Tally struct {
	Count uint64
	Sum   uint64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Add counts a record; value has at least the checksum. A shorter value
// contributes all its bytes.
func (t *Tally) Add(key, value []byte) {
	t.Count++
	t.Sum += recordSum(key, value)
}

// Remove subtracts a record that Add counted.
func (t *Tally) Remove(key, value []byte) {
	t.Count--
	t.Sum -= recordSum(key, value)
}

// AddBucket counts a nested bucket.
func (t *Tally) AddBucket(key []byte) {
	t.Count++
	t.Sum += bucketSum(key)
}

// RemoveBucket subtracts a nested bucket that AddBucket counted.
func (t *Tally) RemoveBucket(key []byte) {
	t.Count--
	t.Sum -= bucketSum(key)
}

// Plus is the sum of two tallies.
func (t Tally) Plus(other Tally) Tally { return Tally{t.Count + other.Count, t.Sum + other.Sum} }

func recordSum(key, value []byte) uint64 {
	var sum uint32
	for i := 0; i < 4 && i < len(value); i++ {
		sum |= uint32(value[i]) << (8 * i)
	}
	return mix(uint64(crc32.Checksum(key, castagnoli))<<32 | uint64(sum))
}

func bucketSum(key []byte) uint64 {
	return mix(^(uint64(crc32.Checksum(key, castagnoli)) << 32))
}

// mix spreads every bit over all of the result (the finalizer of SplitMix64), so that
// changes of several records do not cancel each other out.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
