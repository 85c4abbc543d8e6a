package shard

import (
	"errors"

	"heavytail/storage/format/dataset"
)

// Errors, for errors.Is.
var (
	// ErrStatement is a statement that cannot be divided.
	ErrStatement = errors.New("the statement cannot be divided")
	// ErrPlanned is a folder that has a plan already.
	ErrPlanned = errors.New("the folder has a plan already")
	// ErrNumber is the number of a shard that the plan does not have, or a number of shards
	// out of range.
	ErrNumber = errors.New("no such shard")
	// ErrChanged is a file whose graph, embeddings, models, indexes or kernels are not
	// those of the plan.
	ErrChanged = errors.New("not what the shards were planned for")
	// ErrDamaged is a manifest, an input, a part or a file of the data that is not what was
	// written, or is missing.
	ErrDamaged = dataset.ErrDamaged
	// ErrVersion is a folder of another version.
	ErrVersion = dataset.ErrVersion
	// ErrNoData is a plan without data, whose shards need the heavytail file.
	ErrNoData = errors.New("the plan has no data")
	// ErrTarget is a merge of rows into a file although they belong in the heavytail file, or the
	// reverse.
	ErrTarget = errors.New("the rows go elsewhere")
	// ErrIncomplete is a merge while shards are missing.
	ErrIncomplete = errors.New("shards are missing")
)
