package repl

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestDetect_Terminal(t *testing.T) {
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system gives no pseudo-terminal: %v", err)
	}
	defer pty.Close()
	for _, tt := range []struct {
		columns int
		env     map[string]string
		want    Terminal
	}{
		{120, nil, Terminal{Width: 120, Height: 24, Bar: true, Color: true}},
		{0, nil, Terminal{Width: 80, Height: 24, Bar: true, Color: true}},
		{120, map[string]string{"NO_COLOR": "1"}, Terminal{Width: 120, Height: 24, Bar: true}},
		{120, map[string]string{"TERM": "dumb"}, Terminal{Width: 120, Height: 24}},
	} {
		size := &unix.Winsize{Row: 24, Col: uint16(tt.columns)}
		if err := unix.IoctlSetWinsize(int(pty.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
		if got := Detect(pty, func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%d columns, %v: got %+v, want %+v", tt.columns, tt.env, got, tt.want)
		}
	}
}
