package page

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"heavytail/.ci/repeat"
)

// seekable is a bbolt file with the bucket "b" of records under even keys.
func seekable(t *testing.T, records int) (content []byte, meta Meta, root uint64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seek.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := 0; err == nil && i < records; i++ {
			size := random.IntN(300)
			if i%97 == 0 {
				size = 20000 // pages of its own
			}
			err = b.Put(evenKey(i), bytes.Repeat([]byte{byte(i)}, size))
		}
		return err
	})
	if err == nil {
		err = db.View(func(tx *bolt.Tx) error {
			root = uint64(tx.Bucket([]byte("b")).Root())
			meta = Meta{PageSize: db.Info().PageSize, HighWater: uint64(tx.Size()) / uint64(db.Info().PageSize)}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return content, meta, root
}

func evenKey(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(2*i+2)) }

// A seeker finds the record that is at or before a key, where bbolt has put it.
func TestSeeker_Floor(t *testing.T) {
	t.Parallel()
	const records = 5000
	content, meta, root := seekable(t, records)
	s := NewSeeker(File{R: bytes.NewReader(content), Meta: meta}, root)
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(records) {
		for _, key := range [][]byte{evenKey(i), append(evenKey(i), 7)} {
			p, found, err := s.Floor(key)
			if err != nil || !found || !bytes.Equal(p.Key, evenKey(i)) {
				t.Fatalf("key %x: %+v, %v, %v", key, p, found, err)
			}
			value := content[p.At : p.At+p.Size]
			if len(bytes.Trim(value, string([]byte{byte(i)}))) > 0 || p.Size >= 20000 != (i%97 == 0) {
				t.Fatalf("key %x: %d bytes at %d", key, p.Size, p.At)
			}
		}
	}
	if p, found, err := s.Floor([]byte{0}); found || err != nil {
		t.Errorf("before all keys: %+v, %v", p, err)
	}
	if p, found, err := s.Floor([]byte{0xff, 0xff, 0xff, 0xff}); err != nil || !found || !bytes.Equal(p.Key, evenKey(records-1)) {
		t.Errorf("after all keys: %+v, %v, %v", p, found, err)
	}
}

// Whatever byte of the shape of a page is damaged, a seeker ends with an error, or finds a
// record within the file. A page that leads to itself is an error.
func TestSeeker_Damage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages each byte of a file")
	}
	t.Parallel()
	const records = 1500
	content, meta, root := seekable(t, records)
	sound := NewSeeker(File{R: bytes.NewReader(content), Meta: meta}, root)
	for i := range records {
		if _, _, err := sound.Floor(evenKey(i)); err != nil {
			t.Fatal(err)
		}
	}
	refused, bits, every := 0, []byte{1, 0x80}, 50
	for id := range sound.pages {
		for at := range HeadSize + 2*ElementSize {
			if (int(id)+at)%repeat.Every(3) > 0 {
				continue // the same byte of other pages is tried
			}
			for _, bit := range bits {
				damaged := &content[int(id)*meta.PageSize+at]
				*damaged ^= bit
				s := NewSeeker(File{R: bytes.NewReader(content), Meta: meta}, root)
				for i := 0; i < records; i += every {
					p, found, err := s.Floor(evenKey(i))
					if err != nil {
						refused++
					} else if found && (p.At < 0 || p.At+p.Size > int64(len(content)) || bytes.Compare(p.Key, evenKey(i)) > 0) {
						t.Fatalf("page %d, byte %d: %+v", id, at, p)
					}
				}
				*damaged ^= bit
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
	// The children of the root become the root.
	page := content[int(root)*meta.PageSize:]
	for i := range int(native.Uint16(page[10:])) {
		native.PutUint64(page[HeadSize+i*ElementSize+8:], root)
	}
	if _, _, err := NewSeeker(File{R: bytes.NewReader(content), Meta: meta}, root).Floor(evenKey(records / 2)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("a page that leads to itself: %v", err)
	}
}
