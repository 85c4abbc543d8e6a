package repl

import (
	"io"
	"os"
	"runtime"
)

// Terminal describes the capabilities of a stream. The zero Terminal is a file
// or a pipe.
type Terminal struct {
	Width  int  // columns; 0 if the stream is not a terminal
	Height int  // rows; 0 if unknown
	Bar    bool // its last line can be rewritten
	Color  bool // it shows colours, and they are wanted
}

// Detect returns the capabilities of w: none, unless it is an *os.File that is
// a terminal. It reads the variables TERM (dumb) and NO_COLOR
// (https://no-color.org) with getenv; nil reads none.
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

// columnsOf returns the current number of columns of a stream, which changes
// when a window is resized; 0 if it is not a terminal.
func columnsOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, _ := terminalSize(file)
	return columns
}

// drawable reports whether a terminal of that name has cursor control.
// Consoles of Windows have no name.
func drawable(term string) bool {
	return runtime.GOOS == "windows" || term != "" && term != "dumb"
}
