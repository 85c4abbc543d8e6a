package parquet

import "heavytail/storage/format/internal/columnfile"

func damaged(format string, args ...any) error { return columnfile.Damaged(format, args...) }

func limited(format string, args ...any) error { return columnfile.Limited(format, args...) }

func unread(format string, args ...any) error { return columnfile.Unread(format, args...) }

func errShort() error { return damaged("a page has fewer bytes than its values take") }

// guarded calls the library, whose panics on damaged files become errors.
func guarded(call func() error) error { return columnfile.Guarded("Parquet", call) }
