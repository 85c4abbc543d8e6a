package figure

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
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
	PDF Format = "pdf" // one page of the size of the picture, with its fonts
)

// setOnce makes the library write the same bytes for the same picture: PDF has a date, and
// lists that the library keeps in maps. These settings are those of the whole process.
var setOnce = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Formats lists the formats, which are also the endings of file names.
func Formats() []Format { return []Format{SVG, PNG, PDF} }

// FormatOf returns the format of a file by the ending of its name, or an error
// that is ErrFormat.
func FormatOf(path string) (Format, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	for _, f := range Formats() {
		if ending == string(f) {
			return f, nil
		}
	}
	return "", fmt.Errorf("%w: %q does not end in .svg, .png or .pdf", ErrFormat, path)
}

// Write draws a chart into w. The error is ErrEmpty, ErrFormat or that of w.
func Write(w io.Writer, c Chart, format Format) error {
	p, err := newPicture(c)
	if err != nil {
		return err
	}
	return writeCanvas(w, format, 1, p.draw)
}

// writeCanvas writes what fill draws on a canvas, which is larger than a chart by scale.
func writeCanvas(w io.Writer, format Format, scale vg.Length, fill func(draw.Canvas)) error {
	var canvas io.WriterTo
	switch format {
	case SVG:
		svg := vgsvg.New(scale*width, scale*height)
		fill(draw.New(svg))
		canvas = svg
	case PNG:
		png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(scale*width, scale*height), vgimg.UseDPI(dpi))}
		fill(draw.New(png))
		canvas = png
	case PDF:
		setOnce()
		pdf := vgpdf.New(scale*width, scale*height)
		fill(draw.New(pdf))
		canvas = pdf
	default:
		return fmt.Errorf("%w: %q", ErrFormat, format)
	}
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}
