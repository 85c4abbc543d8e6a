package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
)

// tempNames is how many writers of one path can have temporary files that a later writer
// finds, if they are killed.
const tempNames = 8

// newTemp creates the temporary file of a file that will be called base, with a lock that
// ends with its writer, and removes those that killed writers of the same file have left.
func newTemp(dir *os.Root, base string) (*os.File, string, error) {
	sum := fnv.New64a()
	sum.Write([]byte(base))
	free := randomTemp()
	for n := tempNames - 1; n >= 0; n-- {
		if name := fmt.Sprintf(".heavytail-%016x-%d", sum.Sum64(), n); removeStale(dir, name) {
			free = name
		}
	}
	for {
		file, err := dir.OpenFile(free, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			if err = claim(dir, file, free); err != nil {
				closePart(file) // it is another writer's now
			}
		}
		switch {
		case err == nil:
			return file, free, nil
		case errors.Is(err, ErrPartInUse), errors.Is(err, fs.ErrExist):
			free = randomTemp() // another writer was faster
		default:
			return nil, "", err
		}
	}
}

// randomTemp is a name that nothing has: it has 128 random bits.
func randomTemp() string { return ".heavytail-" + rand.Text() }

// removeStale removes the temporary file of a writer that was killed, and reports whether the
// name is free.
func removeStale(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer closePart(file) // releases the lock only after the name was removed
	return tryLock(file) && claim(dir, file, name) == nil && dir.Remove(name) == nil
}

// claim locks a file that this writer has opened under a name, and verifies that it still has
// the name: before the lock was taken another writer may have committed, replaced or removed
// the file. Two writers of one file would overwrite each other, and one could commit the
// unfinished data of the other; for them the error is ErrPartInUse.
func claim(dir *os.Root, file *os.File, name string) error {
	if err := lockPart(file); err != nil {
		return err
	}
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	named, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, named) {
		return ErrPartInUse
	}
	return err
}
