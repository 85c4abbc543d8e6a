// Package figure draws charts: series of points on two axes, as SVG, PNG or PDF,
// or as lines of text for a terminal; and networks, which are vertices and edges
// in the plane. It depends neither on graphs nor on files; its callers compute the
// points.
//
// The style is fixed in this package. The font is Liberation Sans, which is in the
// binary, so that the fonts of the machine do not matter. Seven colours can be
// distinguished with any colour vision (Okabe and Ito). Series also differ in
// shape, so that a print in grey is readable. Classes of a quantity have the
// colours of a sequential scale. The legend is above the axes, where it hides no
// point.
//
// The same chart gives the same bytes of SVG, PDF and text on any machine. PNG uses
// floating-point rasterisation, and gives the same bytes on machines of one
// kind.
package figure
