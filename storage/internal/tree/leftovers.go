package tree

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"heavytail/storage/internal/file"
)

// Kinds of temporary files, which are the ends of their names; see tempName.
const (
	KindCompact = "compact"
	KindBackup  = "backup"
	KindRecover = "recover"
	KindImport  = "import"
	KindNew     = "new"
)

// RemoveLeftovers removes the temporary files next to path that killed processes
// have left. Files that it cannot remove only take space.
func RemoveLeftovers(path string, kinds ...string) {
	dir, names := namesBeside(path)
	for _, name := range names {
		for _, kind := range kinds {
			if isLeftover(filepath.Base(path), kind, name) {
				removeStale(filepath.Join(dir, name), path)
			}
		}
	}
}

// namesBeside returns the folder of a path, and the names in it that could be read.
func namesBeside(path string) (dir string, names []string) {
	dir, _ = TempName(path, "")
	folder, err := os.Open(dir)
	if err != nil {
		return dir, nil
	}
	defer folder.Close()
	names, _ = folder.Readdirnames(-1) // after an error, the names read so far are enough
	return dir, names
}

// isLeftover reports whether a name is that of a temporary file of a kind, or of the
// compaction of such a file, with which a recovery ends.
func isLeftover(base, kind, name string) bool {
	of, ok := temporaryOf(name, kind)
	if ok && of == base {
		return true
	}
	of, ok = temporaryOf(name, KindCompact)
	if ok {
		of, ok = temporaryOf(of, kind)
	}
	return ok && of == base
}

// temporaryOf returns the name of the file that a temporary file of a kind is for. Only
// digits may stand between that name and the kind, so that neither another file nor a
// temporary file of a store with a longer name matches.
func temporaryOf(name, kind string) (base string, ok bool) {
	name, dot := strings.CutPrefix(name, ".")
	name, end := strings.CutSuffix(name, "."+kind)
	at := strings.LastIndexByte(name, '.')
	if !dot || !end || at < 0 {
		return "", false
	}
	number := name[at+1:]
	return name[:at], number != "" && strings.Trim(number, "0123456789") == ""
}

// removeStale removes a temporary file for target unless a process has it locked, as bbolt
// has what it writes. A second name of target itself is no longer needed, whoever has it
// locked.
func removeStale(path, target string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	there, err := os.Lstat(target)
	if second := err == nil && os.SameFile(info, there); !second && file.CanShareLock { // elsewhere a file that is open cannot be removed
		lock, err := file.OpenLock(path, false)
		if err != nil {
			return
		}
		defer lock.Release()
		if lock.Exclusive(time.Now()) != nil {
			return
		}
	}
	_ = os.Remove(path)
}

// TempName is the pattern of the names of unfinished files, for os.CreateTemp.
func TempName(path, kind string) (dir, pattern string) {
	dir, base := filepath.Split(path)
	dir = cmp.Or(dir, ".")
	return dir, "." + base + ".*." + kind
}
