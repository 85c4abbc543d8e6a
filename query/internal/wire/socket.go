package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// longestSocket is the greatest length of the path of a socket: 104 bytes with the NUL at its end on macOS and the
// BSDs, 108 on Linux and Windows.
const longestSocket = 103

// Sockets lists where the socket of a file may be: beside it, with the ending .sock, and if that path is
// too long or its folder cannot be written, in a folder of the user, with a name that follows from the path. All
// names of a file lead to the same sockets. The error is that of a file whose path cannot be made absolute.
func Sockets(file string) ([]string, error) {
	real, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if followed, err := filepath.EvalSymlinks(real); err == nil {
		real = followed
	}
	sum := sha256.Sum256([]byte(real))
	list := []string{filepath.Join(Folder(), hex.EncodeToString(sum[:12])+".sock")}
	if beside := real + ".sock"; len(beside) <= longestSocket {
		list = []string{beside, list[0]}
	}
	return list, nil
}

// Folder is the folder of the sockets that are not beside their files. It is not the folder that TMPDIR names, which
// may differ between the processes of a user.
func Folder() string {
	base := "/tmp"
	if os.PathSeparator != '/' {
		base = os.TempDir()
	}
	return filepath.Join(base, "heavytail-"+strconv.Itoa(os.Getuid()))
}

// CheckFolder returns an error if another user could have put a socket into Folder, which is where
// every user may create it.
func CheckFolder() error {
	folder := Folder()
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir() || !own(info) || os.PathSeparator == '/' && info.Mode().Perm()&^0o700 != 0:
		return fmt.Errorf("folder %q must belong to the user alone: remove it", folder)
	}
	return nil
}
