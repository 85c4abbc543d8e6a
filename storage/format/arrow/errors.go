package arrow

import "heavytail/storage/format/internal/columnfile"

func damaged(format string, args ...any) error { return columnfile.Damaged(format, args...) }

func limited(format string, args ...any) error { return columnfile.Limited(format, args...) }

func unread(format string, args ...any) error { return columnfile.Unread(format, args...) }

func errShort() error { return damaged("a buffer has fewer bytes than its values take") }
