// Package compress reads texts that may be compressed (with gzip, zstd, bzip2, xz or zip) or in UTF-16,
// in a goroutine ahead of the caller, and writes those that are compressed with gzip or zstd.
package compress
