package storage

import (
	"os"
)

// spillFile is a file for what an import sets aside. remove, where not empty, is
// its name, which has to be removed when it is closed; elsewhere it has none any
// more, and a process that dies leaves nothing.
type spillFile struct {
	*os.File
	remove string
}

// spillFile makes an empty file beside the store, or where temporary files go if
// that folder takes none.
func (db *DB) spillFile() (spillFile, error) {
	path := db.real
	if path == "" {
		path = db.path
	}
	file, err := os.CreateTemp(tempName(path, kindImport))
	if err != nil {
		var second error
		if file, second = os.CreateTemp("", "heavytail.*.import"); second != nil {
			return spillFile{}, err
		}
	}
	if os.Remove(file.Name()) == nil {
		return spillFile{File: file}, nil
	}
	return spillFile{File: file, remove: file.Name()}, nil // as on Windows
}

func (f spillFile) close() {
	f.File.Close() // nothing of it is wanted any more
	if f.remove != "" {
		os.Remove(f.remove)
	}
}
