package graphs

import (
	"errors"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// A graph that is dropped while a statement changes it.
func TestWriteMistake_Dropped(t *testing.T) {
	err := writeMistake(&engine.Call{}, "g", &storage.NotFoundError{Kind: "graph", Name: "g"})
	var mistake *fault.Error
	if !errors.As(err, &mistake) || err.Error() != `no graph "g"` || !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}
