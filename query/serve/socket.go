package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"heavytail/query/internal/wire"
)

// Listen makes the Unix socket of a heavytail file: beside it with the ending .sock or, if that path is
// too long for a socket or its folder cannot be written, in a folder of the user. Only the user of the process
// can connect. The caller has the file open, so a socket that is there already is that of a server that was
// killed, and is replaced, unless a server answers on it, which another one of a file open for reading may do. Closing the
// listener removes the socket.
func Listen(file string) (net.Listener, error) {
	paths, err := wire.Sockets(file)
	if err != nil {
		return nil, err
	}
	var failed []error
	for i, path := range paths {
		if i == len(paths)-1 {
			if err := os.Mkdir(wire.Folder(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, errors.Join(append(failed, err)...)
			}
			if err := wire.CheckFolder(); err != nil {
				return nil, errors.Join(append(failed, err)...)
			}
		}
		l, err := listen(path)
		if err == nil || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			return l, err
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// listen makes a socket at a path.
func listen(path string) (net.Listener, error) {
	if err := clear(path); err != nil {
		return nil, err
	}
	config := net.ListenConfig{Control: private}
	l, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("make the socket: %w", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	made, err := os.Lstat(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &socket{Listener: l, path: path, made: made}, nil
}

// clear removes the socket of a server that was killed.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%q is in the way of the socket: remove or rename it", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return fmt.Errorf("another server answers on %q", path)
	}
	return os.Remove(path)
}

// socket removes its file when it is closed, if the file is still its own.
type socket struct {
	net.Listener
	path string
	made fs.FileInfo
	once sync.Once
}

func (s *socket) Close() error {
	s.once.Do(func() {
		if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.made) {
			_ = os.Remove(s.path) // one that stays is replaced by the next server
		}
	})
	return s.Listener.Close()
}
