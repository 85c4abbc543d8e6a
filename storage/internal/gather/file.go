package gather

import (
	"os"
)

// tempFile is a temporary file. remove is its name if the file must be removed when it
// is closed. It is empty where an open file can be removed: then a process that dies
// leaves nothing.
type tempFile struct {
	*os.File
	remove string
}

// newTempFile creates an empty file in a folder, or, if that fails, in the system's folder for
// temporary files.
func newTempFile(dir, pattern string) (tempFile, error) {
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		var second error
		if file, second = os.CreateTemp("", "heavytail.*.import"); second != nil {
			return tempFile{}, err
		}
	}
	if os.Remove(file.Name()) == nil {
		return tempFile{File: file}, nil
	}
	return tempFile{File: file, remove: file.Name()}, nil // as on Windows
}

func (f tempFile) close() {
	f.File.Close() // its content is no longer needed
	if f.remove != "" {
		os.Remove(f.remove)
	}
}
