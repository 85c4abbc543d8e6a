package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/query/serve"
)

type serveFlags struct {
	root      string
	listen    string // a network address; "" for none
	tokenFile string
	stdio     bool
	options   query.Options
	limits    serve.Options
}

func newServe(std streams) *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "Answer the statements of other processes on a file",
		Long: `Open a file, and answer the statements of other processes of the same user on it, by
lines of JSON on a Unix socket: FILE.sock, or a path in /tmp if that is too long.
exec and the shell find the socket and use it. It ends by an interrupt or SIGTERM:
running statements get some seconds, and jobs stop at a checkpoint. The page serve of the
manual describes the lines.

Files that statements of clients name are in the folder of FILE, or in that of --root.
Other machines and users need --listen, and the token of --token-file; lines are not encrypted.`,
		Example: `  heavytail serve social.ht
  heavytail serve social.ht --read-only --listen 127.0.0.1:7474 --token-file token
  heavytail exec social.ht 'SHOW GRAPHS'`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runServe(cmd, std, args[0], flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.root, "root", "", "folder of the files that statements read and write; that of FILE by default")
	f.StringVar(&flags.listen, "listen", "", "network address to listen on as well, such as 127.0.0.1:7474")
	f.StringVar(&flags.tokenFile, "token-file", "", "file with the token that clients of --listen send; it is created with a random token if it does not exist")
	f.BoolVar(&flags.stdio, "stdio", false, "answer on standard input and output as well, and end when the input ends")
	f.BoolVar(&flags.options.ReadOnly, "read-only", false, "open the file for reading only, together with other readers")
	f.BoolVar(&flags.options.NoCreate, "no-create", false, "fail if the file does not exist")
	f.IntVar(&flags.options.Workers, "workers", 0, "processors to compute with; 0 is all")
	f.Var((*bytesFlag)(&flags.options.MemoryLimit), "memory-limit", "bytes that graphs and vectors of all clients may take, such as 4GiB; 0 is the default, 8GiB and at most three quarters of what there is")
	f.Int64Var(&flags.limits.MaxRows, "max-rows", 0, "most rows of an answer; 0 for any number")
	f.DurationVar(&flags.limits.TimeLimit, "time-limit", 0, "longest time of an answer, such as 30s; 0 for any time")
	f.IntVar(&flags.limits.MaxClients, "max-clients", 0, "most connections at once; 0 is the default, 1000")
	return cmd
}

func runServe(cmd *cobra.Command, std streams, path string, flags serveFlags) error {
	if path == query.Memory {
		return usageError{errors.New("expected a FILE that other processes can name")}
	}
	if (flags.listen == "") != (flags.tokenFile == "") {
		return usageError{errors.New("--listen needs --token-file, and --token-file needs --listen")}
	}
	if err := errors.Join(flags.limits.Validate(), flags.options.Validate()); err != nil {
		return usageError{errors.New(flagWords(cmd).Message(err))}
	}
	if flags.root == "" {
		flags.root = filepath.Dir(path)
	}
	flags.options.Folder, flags.limits.Root = flags.root, flags.root
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	db, err := openFile(std, path, &flags.options)
	if err != nil {
		return err
	}
	return errors.Join(serveOn(ctx, std, db, path, flags), db.Close())
}

// serveOn answers on all addresses until the context, or standard input, ends.
func serveOn(ctx context.Context, std streams, db *query.DB, path string, flags serveFlags) error {
	listeners, err := listen(path, &flags)
	if err != nil {
		return err
	}
	flags.limits.Draw = drawFor(db)
	server, err := serve.New(db, &flags.limits)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	failed := make([]error, len(listeners))
	for i, l := range listeners {
		fmt.Fprintf(std.err, "notice: serving %s on %s\n", path, l.Addr())
		running.Go(func() {
			failed[i] = server.Serve(ctx, l)
			stop()
		})
	}
	if flags.stdio {
		server.ServeStream(ctx, std.in, std.out)
		stop()
	}
	running.Wait()
	return errors.Join(failed...)
}

// listen makes the socket of the file, and listens on the network if that is asked for.
func listen(path string, flags *serveFlags) ([]net.Listener, error) {
	socket, err := serve.Listen(path)
	if err != nil {
		return nil, err
	}
	if flags.listen == "" {
		return []net.Listener{socket}, nil
	}
	if flags.limits.Token, err = readToken(flags.tokenFile); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	network, err := net.Listen("tcp", flags.listen)
	if err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return []net.Listener{socket, network}, nil
}

// readToken returns the first line of a file, which only its user may read. A file that does not exist gets a random token.
func readToken(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never an error
		token := hex.EncodeToString(random)
		_, err = io.WriteString(file, token+"\n")
		return token, errors.Join(err, file.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&^0o700 != 0 {
		return "", fmt.Errorf("other users may read token file %q: change its mode to 600", path)
	}
	token, _, _ := strings.Cut(string(text), "\n")
	if token = strings.TrimSpace(token); token == "" {
		return "", fmt.Errorf("token file %q is empty", path)
	}
	return token, nil
}
