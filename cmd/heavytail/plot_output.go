package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage/atomicfile"
)

// output is the file, the title and the size of a picture, as the flags set them.
type output struct {
	out   string // a file; "" is text on standard output
	title string // in place of the usual one
	shape string // width and height as the user writes them
	size  figure.Size
	form  figure.Format // of a picture on standard output, for a client of a server; "" is text
}

// outFlag is the flag that names the file of a picture.
const outFlag = "out"

func addOutput(cmd *cobra.Command, p *output) {
	cmd.Flags().StringVar(&p.out, outFlag, "", "picture to make, ending in .svg, .png or .pdf; a file of that name is replaced")
	cmd.Flags().StringVar(&p.title, "title", "", "title of the chart")
	cmd.Flags().StringVar(&p.shape, "size", "", "width and height of the picture in points, 1/72 of an inch, such as 600x400")
	cmd.Flags().IntVar(&p.size.DPI, "dpi", 0, "pixels of a .png for each inch; 144 by default")
	must(cmd.RegisterFlagCompletionFunc(outFlag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"svg", "png", "pdf"}, cobra.ShellCompDirectiveFilterFileExt
	}))
}

// check refuses the name of a picture that cannot be made, before anything is
// computed for it.
func (p *output) check() error {
	if p.shape != "" {
		wide, high, two := strings.Cut(p.shape, "x")
		var err [2]error
		p.size.Width, err[0] = strconv.ParseFloat(wide, 64)
		p.size.Height, err[1] = strconv.ParseFloat(high, 64)
		if !two || err[0] != nil || err[1] != nil || p.size.Width == 0 || p.size.Height == 0 {
			return usageError{fmt.Errorf("--size is %q: expected width and height in points, such as 600x400", p.shape)}
		}
	}
	if err := p.size.Validate(); err != nil {
		return usageError{err}
	}
	if p.out == "" {
		return nil
	}
	if _, err := figure.FormatOf(p.out); err != nil {
		return usageError{fmt.Errorf("--out %q does not end in .svg, .png or .pdf", p.out)}
	}
	return writable(p.out)
}

// writable refuses a path of --out at which no file can be made.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--out %q is a folder", path)
	}
	probe, err := atomicfile.Create(path, true)
	var failed *os.PathError // with the path of a temporary file, not of --out
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("--out %q: %w", path, failed.Err)
	case errors.Is(err, atomicfile.ErrNotRegular):
		return fmt.Errorf("--out %q: %w", path, atomicfile.ErrNotRegular)
	case err != nil:
		return err
	}
	return probe.Close()
}

// noPoint replaces figure.ErrEmpty by an error with the reason why there is nothing to
// draw. Other errors stay the same.
func noPoint(err error, why string) error {
	if errors.Is(err, figure.ErrEmpty) {
		return errors.New("nothing to draw: " + why)
	}
	return err
}

// draw writes a chart to the file of --out, or as text to standard output.
func (r *runner) draw(p output, chart figure.Chart) error {
	if p.title != "" {
		chart.Title = p.title
	}
	chart.Size = p.size
	return r.put(p, func(w io.Writer) error { return figure.WriteText(w, chart) },
		func(w io.Writer, format figure.Format) error { return figure.Write(w, chart, format) })
}

// put writes a picture into the file of --out, in the format of its name, or as text to
// standard output.
func (r *runner) put(p output, asText func(io.Writer) error, asFile func(io.Writer, figure.Format) error) error {
	r.status.Clear()
	var content bytes.Buffer
	kind, err := p.form, error(nil)
	if p.out != "" {
		kind, err = figure.FormatOf(p.out)
	}
	switch {
	case err != nil:
	case kind == "":
		err = asText(&content)
	default:
		err = asFile(&content, kind)
	}
	if err != nil {
		return err
	}
	return p.deliver(r.std.out, content.Bytes())
}

// deliver writes a picture into the file of --out, or to standard output.
func (p *output) deliver(out io.Writer, picture []byte) error {
	if p.out == "" {
		return writeText(out, string(picture))
	}
	return replaceFile(p.out, picture)
}

// replaceFile writes a file in one step, so that path never has an incomplete one.
func replaceFile(path string, content []byte) error {
	file, err := atomicfile.Create(path, true)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Commit()
}

// noteAll prints notices in the form that notices of statements have.
func (r *runner) noteAll(notices []rows.Notice) {
	r.status.Clear()
	for _, n := range notices {
		fmt.Fprintf(r.std.err, "notice: %s\n", parser.Escape(n.String()))
	}
}

// plotter calls f with the database that a picture is drawn of: the file at path, or the
// one of a shell.
type plotter func(cmd *cobra.Command, path string, p *output, f func(*runner) error) error
