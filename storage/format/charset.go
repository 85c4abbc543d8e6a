package format

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// charsetOf returns the table of an encoding with a byte for each character, or nil if it is not
// one that is read.
func charsetOf(name string) *charmap.Charmap {
	switch strings.ToLower(name) {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1
	case "iso-8859-2", "latin2":
		return charmap.ISO8859_2
	case "iso-8859-15", "latin-9", "latin9":
		return charmap.ISO8859_15
	case "windows-1250", "cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1252", "cp1252":
		return charmap.Windows1252
	case "koi8-r":
		return charmap.KOI8R
	}
	return nil
}
