// Package atomicfile writes files that appear whole or not at all. A [File] has its name once it is
// complete; a [Part] is written in sections, so that a writer that was killed can continue. Locks
// keep two writers of one file apart, and end with their process. Names that end in .gz or .zst are
// compressed; the package knows nothing else of what the files hold. It also opens files for
// reading that are regular ones.
package atomicfile
