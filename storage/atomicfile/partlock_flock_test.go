//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is being started briefly has every open file of its parent. It must not
// keep the lock on a part after its writer has ended.
func TestPart_KeptBesideACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	first, err := CreatePart(nil, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Section([]byte("1")); err != nil {
		t.Fatal(err)
	}
	descriptor, err := unix.Dup(int(first.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(descriptor)
	if err := first.Suspend(); err != nil {
		t.Fatal(err)
	}
	again, _, err := OpenPart(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Discard(); err != nil {
		t.Error(err)
	}
}
