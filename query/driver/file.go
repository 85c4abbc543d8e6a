package driver

import (
	"path/filepath"
	"sync"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/storage"
)

// open has the files that this process has open through database/sql.
var open = &files{byPath: map[string]*file{}}

// files finds an open file by its path.
type files struct {
	mu     sync.Mutex // guards byPath and the users of every file; taken after a file's own
	byPath map[string]*file
}

// file is the database of a file, which its users share: connectors and connections.
type file struct {
	files *files
	path  string // without symbolic links

	mu  sync.Mutex // held while the file is opened or closed
	db  *query.DB  // nil while the file is closed
	set settings   // settings with which it was opened

	users int
}

// take returns the file at path with one more user, and opens it if it has none.
func (o *files) take(path string, set settings) (*file, error) {
	place := canonical(path)
	o.mu.Lock()
	f := o.byPath[place]
	if f == nil {
		f = &file{files: o, path: place}
		o.byPath[place] = f
	}
	f.users++
	o.mu.Unlock()
	if err := f.open(path, set); err != nil {
		f.release() // an error of closing the file is reported to its other users
		return nil, err
	}
	return f, nil
}

// open opens the file if it is not open. If it is open, the settings must be equal to
// those with which it was opened, except whether it may be created.
func (f *file) open(path string, set settings) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db == nil {
		f.db, err = query.Open(path, set.options())
		f.set = set
		f.set.noCreate = false
		return err
	}
	if set.noCreate = false; set != f.set {
		return fault.New(fault.File, "this process has file %s open through database/sql with other parameters", fault.Quote(path)).
			WithRemedy("use the same data source name, or close the other sql.DB first").WithErr(storage.ErrLocked)
	}
	return nil
}

// share returns the file with one more user, for a user of it.
func (f *file) share() *file {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	f.users++
	return f
}

// release removes a user. The last user closes the file; a call of take meanwhile
// waits, and opens it again.
func (f *file) release() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leave() == 0 && f.db != nil {
		err = f.db.Close()
		f.db = nil
	}
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	if f.users == 0 {
		delete(f.files.byPath, f.path)
	}
	return err
}

// leave removes a user and returns the number of remaining users.
func (f *file) leave() int {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	f.users--
	return f.users
}

// canonical returns the absolute path without symbolic links, so that each file has
// one name; query.Memory is its own. For a file that does not exist, it resolves the path of the folder.
func canonical(path string) string {
	if path == query.Memory {
		return path
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path // which cannot be opened
}
