package transform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // names without a scheme
	"heavytail/query"
)

// namespace is that of the counters.
const namespace = "heavytail"

var opened = beam.NewCounter(namespace, "stores")

// stores are the open files of this process, by name. They stay open until it ends: bundles
// follow each other, and loading the graph takes longer than most of them.
var stores = struct {
	sync.Mutex
	open map[string]*query.DB
}{open: map[string]*query.DB{}}

// open returns the store of a file, which is read-only and shared by all who ask in this
// process. A file that is not on this machine is fetched first.
func open(ctx context.Context, path string) (*query.DB, error) {
	stores.Lock()
	defer stores.Unlock()
	if db := stores.open[path]; db != nil {
		return db, nil
	}
	file, remove, err := fetch(ctx, path)
	if err != nil {
		return nil, err
	}
	db, err := query.Open(file, &query.Options{ReadOnly: true, NoCreate: true})
	remove() // an open file needs no name, except on Windows, where it stays
	if err != nil {
		return nil, err
	}
	opened.Inc(ctx, 1)
	stores.open[path] = db
	return db, nil
}

// closeStores closes every store of this process.
func closeStores() (err error) {
	stores.Lock()
	defer stores.Unlock()
	for path, db := range stores.open {
		err = errors.Join(err, db.Close())
		delete(stores.open, path)
	}
	return err
}

// fetch returns the name under which a file can be opened on this machine: path itself, or
// where it has a scheme, such as gs://, that of a copy, which remove deletes.
func fetch(ctx context.Context, path string) (name string, remove func(), err error) {
	if !strings.Contains(path, "://") {
		return path, func() {}, nil
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return "", nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, path)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	// The ending says what is in a file of pairs.
	out, err := os.CreateTemp("", "heavytail-*-"+filepath.Base(path))
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(out.Name()) }
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		remove()
		return "", nil, fmt.Errorf("fetching %s: %w", path, err)
	}
	return out.Name(), remove, nil
}
