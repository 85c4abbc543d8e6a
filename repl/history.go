package repl

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// The limits of a history: the newest entries are kept up to a number and a
// total length. The file may exceed them by a quarter before it is shortened.
const (
	historyEntries = 10_000
	historyBytes   = 16 << 20
)

// HistoryFile is the path where a shell keeps its history, from the variables
// of getenv: in the folder for state, $XDG_STATE_HOME or ~/.local/state, or on
// Windows %LocalAppData%. It is "" if there is no such folder.
func HistoryFile(getenv func(string) string) string {
	return ownFile(getenv("XDG_STATE_HOME"), getenv("LocalAppData"), filepath.Join(getenv("HOME"), ".local", "state"), "history")
}

// StartupFile is the path of the script that a shell runs when it starts: in the folder
// for configuration, $XDG_CONFIG_HOME or ~/.config, or on Windows %AppData%. It is "" if
// there is no such folder.
func StartupFile(getenv func(string) string) string {
	return ownFile(getenv("XDG_CONFIG_HOME"), getenv("AppData"), filepath.Join(getenv("HOME"), ".config"), "init")
}

// ownFile returns the path of a file of the user: below folder if that is an absolute path,
// otherwise below windows on Windows, and below home on other systems. It is "" if that is
// not an absolute path either.
func ownFile(folder, windows, home, name string) string {
	if !filepath.IsAbs(folder) {
		folder = home
		if runtime.GOOS == "windows" {
			folder = windows
		}
	}
	if !filepath.IsAbs(folder) {
		return ""
	}
	return filepath.Join(folder, "heavytail", name)
}

// history is the list of typed entries, oldest first. Its file has one entry
// per line, as a JSON string, so that an entry may have any length and line
// breaks. Several shells append to the same file; each sees the entries that
// existed when it first read the file, and its own. The file is read only when
// it is needed; if it cannot be read or written, the shell continues without
// it.
type history struct {
	path string        // "" means that no file is written
	wait time.Duration // replaces historyWait in tests, if set

	mu      sync.Mutex
	loaded  bool
	entries []string
	err     error // the first error of writing
}

// Len, GetLine, Write and Dump implement the history interface of readline.
func (h *history) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	return len(h.entries)
}

// GetLine returns an entry, counted from the oldest.
func (h *history) GetLine(i int) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	if i < 0 || i >= len(h.entries) {
		return "", errors.New("no such entry")
	}
	return h.entries[i], nil
}

// Write ignores the typed text, which may be several statements. The shell adds them one by
// one, with add.
func (h *history) Write(string) (int, error) { return h.Len(), nil }

// Dump is not called.
func (h *history) Dump() any { return nil }

// add adds an entry, unless it equals the last one.
func (h *history) add(entry string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	if n := len(h.entries); n > 0 && h.entries[n-1] == entry {
		return
	}
	h.entries = append(h.entries, entry)
	if h.path == "" {
		return
	}
	if err := h.append(entry); err != nil && h.err == nil {
		h.err = err
	}
}

// failed returns the first error of writing, once.
func (h *history) failed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.err
	if err != nil {
		h.path, h.err = "", nil
	}
	return err
}

func (h *history) load() {
	if h.loaded {
		return
	}
	h.loaded = true
	if h.path == "" {
		return
	}
	file, err := os.Open(h.path)
	if err != nil {
		return
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	file.Seek(max(0, size-2*historyBytes), io.SeekStart)
	h.entries = readEntries(file)
	if len(h.entries) > historyEntries*5/4 || size > historyBytes*5/4 {
		h.shorten()
	}
	h.entries = newest(h.entries)
}

// readEntries reads the lines of a history. Lines that are not entries, such
// as a first line whose beginning is missing, are skipped.
func readEntries(r io.Reader) []string {
	var entries []string
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var entry string
			if json.Unmarshal(line, &entry) == nil {
				if entry = cleanInput(entry); entry != "" && visible(entry) == entry {
					entries = append(entries, entry)
				}
			}
		}
		if err != nil {
			return entries
		}
	}
}

// newest returns the newest entries, as many as the limits allow.
func newest(entries []string) []string {
	first, size := len(entries), 0
	for first > 0 && len(entries)-first < historyEntries && size < historyBytes {
		first--
		size += len(entries[first])
	}
	return entries[first:]
}

func encodeEntry(entry string) []byte {
	line, _ := json.Marshal(entry) // a string has no errors
	return append(line, '\n')
}

// append adds an entry to the file, under its lock.
func (h *history) append(entry string) error {
	file, _, err := h.open()
	if err != nil {
		return err
	}
	defer file.Close()
	line := encodeEntry(entry)
	if size, err := file.Seek(0, io.SeekEnd); err == nil && size > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...) // after a line that a crash has cut
		}
	}
	_, err = file.Write(line)
	return err
}

// historyWait is how long a shell waits for the lock of the history. Other shells hold it
// only while they write a few lines. After historyWait the shell continues without the
// lock: it must not hang because of its history.
const historyWait = 200 * time.Millisecond

// open opens the file for appending and locks it; locked reports whether it has the lock.
// It tries again if another shell has replaced the file meanwhile.
func (h *history) open() (file *os.File, locked bool, err error) {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return nil, false, err
	}
	for {
		file, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, false, err
		}
		locked := lockHistory(file, cmp.Or(h.wait, historyWait))
		mine, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, false, err
		}
		if !mine.Mode().IsRegular() {
			file.Close()
			return nil, false, errors.New(h.path + " is not a file")
		}
		if now, err := os.Stat(h.path); err == nil && !os.SameFile(mine, now) {
			file.Close()
			continue
		}
		if mine.Mode().Perm() != 0o600 {
			file.Chmod(0o600)
		}
		return file, locked, nil
	}
}

// shorten replaces the file by its newest entries. The lock keeps other shells from
// appending to the old file; without the lock the file is not shortened.
func (h *history) shorten() {
	old, locked, err := h.open()
	if err != nil {
		return
	}
	defer old.Close()
	if !locked {
		return
	}
	old.Seek(0, io.SeekStart)
	entries := newest(readEntries(old))
	// Only the shell with the lock writes this file; what a killed one left is overwritten.
	file, err := os.OpenFile(h.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return
	}
	defer os.Remove(file.Name())
	w := bufio.NewWriter(file)
	for _, e := range entries {
		w.Write(encodeEntry(e))
	}
	if errors.Join(w.Flush(), file.Close()) == nil && os.Rename(file.Name(), h.path) == nil {
		h.entries = slices.Clone(entries)
	}
}

// private reports whether an entry is not kept in the history: an entry that begins with a
// blank, as in other shells; .param set; and an entry with invisible characters, which the
// line editor would draw without escapes during a search.
func private(text string) bool {
	if strings.HasPrefix(text, " ") || visible(text) != text {
		return true
	}
	words := strings.Fields(text)
	return len(words) > 1 && isCommand(words[0]) && strings.EqualFold(words[0][1:], "param") && strings.EqualFold(words[1], "set")
}

// cleanInput removes from a text control characters other than line feeds and tabs, which a
// terminal would obey, and bytes that are not valid UTF-8.
func cleanInput(text string) string {
	bad := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
	if utf8.ValidString(text) && strings.IndexFunc(text, bad) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if bad(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}
