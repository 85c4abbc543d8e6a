package figure

import (
	"cmp"
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

// ErrSize is returned for a Size that cannot be drawn.
var ErrSize = errors.New("figure: size of the picture")

// Format is a file format of pictures.
type Format string

// The formats.
const (
	SVG Format = "svg" // lines and texts, sharp at any size
	PNG Format = "png" // 960 by 720 pixels, unless Size says otherwise
	PDF Format = "pdf" // one page of the size of the picture, with its fonts
)

// Limits of a Size: below, there is no room for the axes; above, the memory of a picture
// takes gigabytes.
const (
	leastSide, mostSide = 150, 10_000
	leastDPI, mostDPI   = 36, 1200
	mostPixels          = 100_000_000
)

// Validate returns all errors of the size, joined; each is ErrSize.
func (s Size) Validate() error {
	var faults []error
	for _, side := range []struct {
		name  string
		value float64
	}{{"width", s.Width}, {"height", s.Height}} {
		if side.value != 0 && !(side.value >= leastSide && side.value <= mostSide) {
			faults = append(faults, fmt.Errorf("%w: the %s is %v points, and must be from %d to %d", ErrSize, side.name, side.value, leastSide, mostSide))
		}
	}
	if s.DPI != 0 && (s.DPI < leastDPI || s.DPI > mostDPI) {
		faults = append(faults, fmt.Errorf("%w: %d pixels for each inch, and must be from %d to %d", ErrSize, s.DPI, leastDPI, mostDPI))
	}
	if faults == nil {
		full := s.scaled(1)
		if pixels := full.Width * full.Height * float64(full.DPI*full.DPI) / 72 / 72; pixels > mostPixels {
			faults = append(faults, fmt.Errorf("%w: %.0f million pixels, and at most %d million are drawn", ErrSize, pixels/1e6, mostPixels/1_000_000))
		}
	}
	return errors.Join(faults...)
}

// scaled replaces Width, Height and DPI of 0 by the usual values. The factor multiplies
// the usual width and height.
func (s Size) scaled(factor float64) Size {
	s.Width = cmp.Or(s.Width, factor*width)
	s.Height = cmp.Or(s.Height, factor*height)
	s.DPI = cmp.Or(s.DPI, dpi)
	return s
}

// setOnce makes the library write the same bytes for the same picture: PDF has a date, and
// lists that the library keeps in maps. The settings apply to the whole process.
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

// Write draws a chart into w. The error is ErrEmpty, ErrFormat, ErrSize or that
// of w.
func Write(w io.Writer, c Chart, format Format) error {
	p, err := newPicture(c)
	if err != nil {
		return err
	}
	return writeCanvas(w, format, p.Size.scaled(1), p.draw)
}

// writeCanvas writes what fill draws on a canvas of a size.
func writeCanvas(w io.Writer, format Format, size Size, fill func(draw.Canvas)) error {
	if err := size.Validate(); err != nil {
		return err
	}
	wide, high := vg.Length(size.Width), vg.Length(size.Height)
	var canvas io.WriterTo
	switch format {
	case SVG:
		svg := vgsvg.New(wide, high)
		fill(draw.New(svg))
		canvas = svg
	case PNG:
		png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(size.DPI))}
		fill(draw.New(png))
		canvas = png
	case PDF:
		setOnce()
		pdf := vgpdf.New(wide, high)
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
