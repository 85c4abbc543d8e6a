package session

// Garbage is the most garbage that stays in a heap in which so many bytes are in use: as much as is
// in use, up to 16 MiB; a fifth, if that is more, but no more than 128 MiB, which is a twentieth of
// 2.5 GiB; and from there on a twentieth. The command sets the pace of its collections by it.
//
// Collecting a heap of a megabyte at each fifth would take a third of the time of a short command.
// 16 MiB are ten milliseconds of allocating, and a collection of a heap of up to 80 MiB takes less.
func Garbage(used int64) int64 {
	return max(min(used, 16<<20), min(used/5, 128<<20), used/20)
}

// WithGarbage estimates by how much the heap grows for work that has up to so many bytes in use, beside
// what is already in use: these bytes, and the garbage that the work leaves meanwhile. All jobs count
// garbage by it.
func WithGarbage(beside, bytes int64) int64 {
	return bytes + Garbage(beside+bytes)
}
