// Package figure draws charts: series of points on two axes, as SVG, as PNG, or
// as lines of text for a terminal. It knows nothing of graphs or files; who calls
// it has computed the points.
//
// Everything about the look is decided here and once: the font (Liberation Sans,
// which is in the binary, so that no font of the machine matters), eight colours
// that people with any colour vision tell apart (Okabe and Ito), with a shape of
// its own for each, so that a print in grey is readable too, the sequential scale
// for classes of a quantity, and the legend, which stands above the axes where no
// point can be under it.
//
// The same chart gives the same bytes of SVG and text on any machine. PNG passes
// through floating-point rasterisation, and gives the same bytes on machines of
// one kind.
package figure
