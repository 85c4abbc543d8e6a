package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// childPath is the variable that makes TestCreate_Child write a file until it is killed.
const childPath = "HEAVYTAIL_TEST_CREATE"

// TestCreate_Child is the process that TestCreate_Killed kills.
func TestCreate_Child(t *testing.T) {
	path := os.Getenv(childPath)
	if path == "" {
		t.Skip("this is for TestCreate_Killed")
	}
	f, err := Create(path, true)
	if err == nil {
		_, err = f.Write([]byte("unfinished"))
	}
	fmt.Println("ready:", err)
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// TestCreate_Killed kills writers of a file. What they leave is removed by the next writer
// of the same file, and not while they live; files of other names stay.
func TestCreate_Killed(t *testing.T) {
	if !renamesOpen {
		t.Skip("there are no locks here")
	}
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, strings.Repeat("long", 60)+".csv"), filepath.Join(dir, "other.csv")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(path string) (kill func()) {
		cmd := exec.Command(self, "-test.run=^TestCreate_Child$")
		cmd.Env = append(os.Environ(), childPath+"="+path)
		in, inErr := cmd.StdinPipe()
		out, outErr := cmd.StdoutPipe()
		if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "ready: "); ok {
				if text != "<nil>" {
					t.Fatal(text)
				}
				return func() {
					if err := cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
					_ = cmd.Wait()
					in.Close()
				}
			}
		}
		t.Fatal("the child did not begin")
		return nil
	}
	temporary := func() int {
		names, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	killFirst, killSecond, killOther := start(path), start(path), start(other)
	if n := temporary(); n != 3 {
		t.Errorf("%d temporary files of 3 writers", n)
	}
	killFirst()
	if err := write(t, path, "whole"); err != nil {
		t.Error(err)
	}
	if n := temporary(); n != 2 {
		t.Errorf("%d temporary files of 2 living writers", n)
	}
	killSecond()
	killOther()
	if err := write(t, path, "whole again"); err != nil {
		t.Error(err)
	}
	if n := temporary(); n != 1 {
		t.Errorf("%d temporary files, want that of the other file", n)
	}
	if err := write(t, other, "other"); err != nil {
		t.Error(err)
	}
	if n := temporary(); n != 0 {
		t.Errorf("%d temporary files are left", n)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole again" {
		t.Errorf("%q, %v", text, err)
	}
}

func write(t *testing.T, path, text string) error {
	t.Helper()
	f, err := Create(path, true)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(text))
	return errors.Join(err, f.Commit())
}

// TestCreate_Names: the temporary name of a killed writer that is a second name of the
// complete file is removed; other names keep the former content; what is not a file of ours
// stays.
func TestCreate_Names(t *testing.T) {
	if !renamesOpen {
		t.Skip("there are no locks here")
	}
	t.Parallel()
	dir := t.TempDir()
	path, second := filepath.Join(dir, "file"), filepath.Join(dir, "second")
	f, err := Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, f.tempName)
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Link(path, temp), os.Link(path, second)); err != nil {
		t.Fatal(err)
	}
	if err := write(t, path, "new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(temp); err == nil {
		t.Error("the second name is left")
	}
	if text, err := os.ReadFile(second); err != nil || len(text) > 0 {
		t.Errorf("the other name has %q, %v", text, err)
	}
	// A symbolic link or a folder under a temporary name is nobody's file.
	if err := os.Symlink(path, temp); err != nil {
		t.Fatal(err)
	}
	if err := write(t, path, "newer"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(temp); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "newer" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestCreate_AtOnce lets more writers write one file at once than there are names of
// temporary files. Each succeeds, and nothing is left.
func TestCreate_AtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var done [3 * tempNames]chan error
	for i := range done {
		done[i] = make(chan error, 1)
		go func() { done[i] <- write(t, path, "text") }()
	}
	for i := range done {
		if err := <-done[i]; err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}
