package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

// picture is where a chart goes, as flags say.
type picture struct {
	out   string // a file; "" is text on standard output
	title string // in place of the usual one
}

// addPicture gives a command the flags of a picture.
func addPicture(cmd *cobra.Command, p *picture) {
	cmd.Flags().StringVar(&p.out, "out", "", "picture to make, ending in .svg, .png or .pdf; a file of that name is replaced")
	cmd.Flags().StringVar(&p.title, "title", "", "title of the chart")
	must(cmd.RegisterFlagCompletionFunc("out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"svg", "png", "pdf"}, cobra.ShellCompDirectiveFilterFileExt
	}))
}

// check refuses the name of a picture that cannot be made, before anything is
// computed for it.
func (p picture) check() error {
	if p.out == "" {
		return nil
	}
	if _, err := figure.FormatOf(p.out); err != nil {
		return usageError{fmt.Errorf("--out %q does not end in .svg, .png or .pdf", p.out)}
	}
	if info, err := os.Stat(p.out); err == nil && info.IsDir() {
		return fmt.Errorf("--out %q is a folder", p.out)
	}
	probe, err := os.CreateTemp(filepath.Dir(p.out), ".heavytail-*")
	var failed *os.PathError // whose path is not the one that was given
	if errors.As(err, &failed) {
		err = fmt.Errorf("--out %q: %w", p.out, failed.Err)
	}
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// noPoint says why a chart has no point, if that is what went wrong.
func noPoint(err error, why string) error {
	if errors.Is(err, figure.ErrEmpty) {
		return errors.New("nothing to draw: " + why)
	}
	return err
}

// draw writes a chart to where it goes.
func (r *runner) draw(p picture, chart figure.Chart) error {
	if p.title != "" {
		chart.Title = p.title
	}
	return r.put(p, func(w io.Writer) error { return figure.WriteText(w, chart) },
		func(w io.Writer, format figure.Format) error { return figure.Write(w, chart, format) })
}

// put writes a picture to where it goes: as text, or into a file of a format.
func (r *runner) put(p picture, asText func(io.Writer) error, asFile func(io.Writer, figure.Format) error) error {
	r.status.Clear()
	var content bytes.Buffer
	if p.out == "" {
		if err := asText(&content); err != nil {
			return err
		}
		return writeText(r.std.out, content.String())
	}
	format, err := figure.FormatOf(p.out)
	if err == nil {
		err = asFile(&content, format)
	}
	if err != nil {
		return err
	}
	return replaceFile(p.out, content.Bytes())
}

// replaceFile writes a file that appears when it is complete.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// noteAll prints notices as statements do.
func (r *runner) noteAll(notices []query.Notice) {
	r.status.Clear()
	for _, n := range notices {
		fmt.Fprintf(r.std.err, "notice: %s\n", parser.Escape(n.String()))
	}
}

// runPlot opens the file at path for reading and calls f.
func runPlot(cmd *cobra.Command, std streams, path string, p picture, f func(*runner) error) error {
	if err := p.check(); err != nil {
		return err
	}
	return runOn(cmd, std, path, query.Options{ReadOnly: true, NoCreate: true}, string(repl.Table), f)
}
