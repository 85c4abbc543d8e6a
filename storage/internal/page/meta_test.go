package page_test

import (
	"bytes"
	"testing"

	"heavytail/storage/internal/page"
)

// FuzzMeta: any first bytes of a file give a result or an error.
func FuzzMeta(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xed, 0xda, 0x0c, 0xed}, 4096))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, _, err := page.ReadMeta(bytes.NewReader(file), func() (int64, error) { return int64(len(file)), nil })
		if err == nil && m.HighWater*uint64(m.PageSize) > uint64(len(file)) {
			t.Errorf("%+v in %d bytes", m, len(file))
		}
	})
}
