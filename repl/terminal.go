package repl

import (
	"io"
	"os"
)

// Terminal tells what a stream can show. The zero Terminal is a file or a pipe.
type Terminal struct {
	Width  int  // columns; 0 where the stream is no terminal
	Height int  // rows; 0 where that is not known
	Bar    bool // its last line can be rewritten
	Color  bool // it shows colours, and they are wanted
}

// Detect finds out what w can show: nothing, unless it is an *os.File that is a
// terminal. The variables TERM=dumb and NO_COLOR (https://no-color.org) are read
// by getenv; nil reads none.
func Detect(w io.Writer, getenv func(string) string) Terminal {
	file, ok := w.(*os.File)
	if !ok {
		return Terminal{}
	}
	columns, rows, escapes := terminalSize(file)
	if columns == 0 {
		return Terminal{}
	}
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	escapes = escapes && getenv("TERM") != "dumb"
	return Terminal{Width: columns, Height: rows, Bar: escapes, Color: escapes && getenv("NO_COLOR") == ""}
}

// defaultWidth is that of a terminal which does not know its own.
const defaultWidth = 80

// columnsOf returns the columns that a stream has now, which change when a window
// is resized; 0 where it is no terminal.
func columnsOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, _ := terminalSize(file)
	return columns
}
