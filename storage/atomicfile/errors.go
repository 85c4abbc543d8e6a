package atomicfile

import "errors"

// Errors of files.
var (
	// ErrExists is returned by Create and File.Commit for a path that exists, unless
	// overwriting was asked for.
	ErrExists = errors.New("file exists")
	// ErrNotRegular is returned for a path that is no regular file: a
	// directory, a device, a pipe or, for writing, a symbolic link.
	ErrNotRegular = errors.New("not a regular file")
	// ErrCompression is returned for a file to be written whose name ends as files of a
	// compression do that is only read.
	ErrCompression = errors.New("compression is not written")
	// ErrPart is wrapped by errors about an unfinished file from an earlier write.
	ErrPart = errors.New("an unfinished file is there")
	// ErrPartInUse is wrapped by errors about an unfinished file that another process is
	// writing.
	ErrPartInUse = errors.New("another process is writing this file")
	// ErrDamaged is wrapped by errors about an unfinished file that is not what its state
	// says.
	ErrDamaged = errors.New("damaged unfinished file")
)
