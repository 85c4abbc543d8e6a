package figure

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrFormat is returned for a file name whose ending is not one of Formats.
var ErrFormat = errors.New("figure: unknown format of pictures")

// Format is a file format of pictures.
type Format string

// The formats.
const (
	SVG Format = "svg" // lines and texts, sharp at any size
	PNG Format = "png" // 960 by 720 pixels
)

// Formats lists the formats, which are also the endings of file names.
func Formats() []Format { return []Format{SVG, PNG} }

// FormatOf returns the format of a file by the ending of its name, or an error
// that is ErrFormat.
func FormatOf(path string) (Format, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	for _, f := range Formats() {
		if ending == string(f) {
			return f, nil
		}
	}
	return "", fmt.Errorf("%w: %q ends neither in .svg nor in .png", ErrFormat, path)
}

// Write draws a chart into w. The error is ErrEmpty, ErrFormat or that of w.
func Write(w io.Writer, c Chart, format Format) error {
	p, err := newPicture(c)
	if err != nil {
		return err
	}
	var canvas io.WriterTo
	switch format {
	case SVG:
		svg := vgsvg.New(width, height)
		p.draw(draw.New(svg))
		canvas = svg
	case PNG:
		png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
		p.draw(draw.New(png))
		canvas = png
	default:
		return fmt.Errorf("%w: %q", ErrFormat, format)
	}
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}
