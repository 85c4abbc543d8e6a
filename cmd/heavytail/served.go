package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heavytail/cmd/figure"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/remote"
	"heavytail/query/rows"
	"heavytail/repl"
)

// readOnlyMark is in the prompt of a shell that cannot write.
const readOnlyMark = "read-only"

// database is a file on which statements run: open in this process, or in a server.
type database interface {
	repl.Database
	ReadOnly() bool
	Close() error
}

// opened is a file for statements.
type opened struct {
	db  database
	own *query.DB // db, if this process has it open; nil if a server has
}

// openOrServed connects to the server that has a file open, if there is one for this user, and otherwise opens
// the file as openWith does.
func openOrServed(ctx context.Context, std streams, path string, options *query.Options, config repl.Config, data string) (opened, error) {
	if path != query.Memory {
		client, err := remote.Open(ctx, path)
		if err == nil {
			return opened{db: client}, nil
		}
		if !errors.Is(err, remote.ErrNoServer) {
			return opened{}, err
		}
	}
	db, err := openWith(ctx, std, path, options, config, data)
	if err != nil {
		return opened{}, err
	}
	return opened{db, db}, nil
}

// mark is what the prompt of a shell on the file shows.
func (f opened) mark(readOnly bool) string {
	switch {
	case readOnly || f.own == nil && f.db.ReadOnly():
		return readOnlyMark
	case f.own == nil:
		return "served"
	}
	return ""
}

// plot is what .plot calls.
func (f opened) plot(std streams, status *repl.Status) func(context.Context, io.Writer, []string) error {
	if f.own != nil {
		return plotInShell(std, f.own, status)
	}
	return func(ctx context.Context, out io.Writer, args []string) error {
		std := streams{in: std.in, out: out, err: std.err}
		return plotOpened(ctx, std, args, func(cmd *cobra.Command, _ string, p *output, _ func(*runner) error) error {
			if err := p.check(); err != nil {
				return err
			}
			return drawServed(cmd.Context(), std, f.db.(*remote.DB), cmd, p)
		})
	}
}

// plotFile opens the file at path for reading, or has the server draw that has it open.
func plotFile(std streams) plotter {
	return func(cmd *cobra.Command, path string, p *output, f func(*runner) error) error {
		if err := p.check(); err != nil {
			return err
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		switch client, err := remote.Open(ctx, path); {
		case err == nil:
			defer client.Close()
			return drawServed(ctx, std, client, cmd, p)
		case !errors.Is(err, remote.ErrNoServer):
			return err
		}
		return runOn(cmd, std, path, query.Options{ReadOnly: true, NoCreate: true}, string(repl.Table), f)
	}
}

// textForm is the form of a picture of characters, in a request to a server.
const textForm = "text"

// drawServed has a server draw what a command plot with its names and flags asks for, and delivers the picture here.
func drawServed(ctx context.Context, std streams, server *remote.DB, cmd *cobra.Command, p *output) error {
	form := figure.Format(textForm)
	if p.out != "" {
		var err error
		if form, err = figure.FormatOf(p.out); err != nil {
			return err
		}
	}
	args := []string{cmd.Name()}
	cmd.Flags().Visit(func(f *pflag.Flag) { // those that were given
		values := []string{f.Value.String()}
		if list, several := f.Value.(pflag.SliceValue); several {
			values = list.GetSlice()
		}
		for _, value := range values {
			if f.Name != outFlag {
				args = append(args, "--"+f.Name+"="+value)
			}
		}
	})
	args = append(append(args, "--"), cmd.Flags().Args()[1:]...) // without FILE
	picture, notices, err := server.Draw(ctx, args, string(form))
	if err != nil {
		return err
	}
	for _, n := range notices {
		fmt.Fprintf(std.err, "notice: %s\n", parser.Escape(n.String()))
	}
	return p.deliver(std.out, picture)
}

// drawFor draws for the clients of a server. It writes no file, whatever they ask for.
func drawFor(db *query.DB) func(ctx context.Context, args []string, form string) ([]byte, []rows.Notice, error) {
	return func(ctx context.Context, args []string, form string) ([]byte, []rows.Notice, error) {
		if form != textForm && !slices.Contains(figure.Formats(), figure.Format(form)) {
			return nil, nil, fmt.Errorf("picture %q is none of svg, png, pdf and text", form)
		}
		if !slices.Contains(plotKinds, args[0]) {
			return nil, nil, fmt.Errorf("unknown plot %q: expected %s", args[0], strings.Join(plotKinds, ", "))
		}
		var picture, said bytes.Buffer
		std := streams{in: strings.NewReader(""), out: &picture, err: &said}
		status := repl.NewStatus(io.Discard, repl.Terminal{})
		drawn := false
		err := plotOpened(ctx, std, args, func(cmd *cobra.Command, _ string, p *output, f func(*runner) error) error {
			if p.out != "" {
				return errors.New("a server writes no picture into a file: its client does")
			}
			if p.form = figure.Format(form); form == textForm {
				p.form = ""
			}
			if err := p.check(); err != nil {
				return err
			}
			drawn = true
			return f(&runner{cmd, cmd.Context(), db, std, status, repl.Table})
		})
		if err == nil && !drawn {
			err = errors.New("there is nothing to draw") // such as --help
		}
		var notices []rows.Notice
		for line := range strings.Lines(said.String()) {
			notices = append(notices, rows.Notice{Text: strings.TrimSpace(strings.TrimPrefix(line, "notice: "))})
		}
		return picture.Bytes(), notices, err
	}
}
