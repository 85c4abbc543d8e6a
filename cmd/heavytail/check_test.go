package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

func TestCheck_Sound(t *testing.T) {
	path := sampleFile(t)
	a := command(t, "", "check", path)
	if a.code != exitDone || !strings.HasPrefix(a.out, path+" is sound: 1 graph, 1 embedding, ") || a.err != "" {
		t.Errorf("exit code %d, %q, %q", a.code, a.out, a.err)
	}
}

// TestCheck_Damaged changes one bit of the key of a vertex.
func TestCheck_Damaged(t *testing.T) {
	path := newFile(t)
	mustRun(t, "a rather-long-name\n", "exec", path, "-c", "IMPORT '-' INTO g")
	file := mustRead(t, path)
	if !bytes.Contains(file, []byte("rather-long-name")) {
		t.Fatal("the key is not in the file as it is written")
	}
	mustWrite(t, path, bytes.ReplaceAll(file, []byte("rather-long-name"), []byte("rather-long-mame")))
	a := command(t, "", "check", path)
	if a.code != exitFailed || !strings.Contains(a.out, "checksum does not match") || !strings.Contains(a.out, "\n  ") {
		t.Errorf("exit code %d, and the faults are\n%s", a.code, a.out)
	}
	if !strings.Contains(a.err, " in "+path) {
		t.Errorf("message %q", a.err)
	}
	mustFail(t, exitFailed, []string{"file is damaged", path}, "exec", path, "-c", "DESCRIBE GRAPH g")
}

// TestOpen_Refused opens what is not a store of this version, by every command
// that opens one, and expects the file to stay unchanged.
func TestOpen_Refused(t *testing.T) {
	dir := t.TempDir()
	sound := mustRead(t, sampleFile(t))
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		mustWrite(t, path, b)
		return path
	}
	foreign := filepath.Join(dir, "foreign")
	db, err := bbolt.Open(foreign, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	newer := write("newer", sound)
	makeNewer(t, newer)
	for path, want := range map[string]string{
		dir:                                      "a directory",
		foreign:                                  "not a heavytail store",
		newer:                                    "unknown format",
		write("empty", nil):                      "an empty file",
		write("text", []byte("a b\nb c\n")):      "not a heavytail store",
		write("cut", sound[:3*os.Getpagesize()]): "file is damaged",
		write("zeros", make([]byte, len(sound))): "not a heavytail store",
	} {
		var before []byte
		if path != dir {
			before = mustRead(t, path)
		}
		mustFail(t, exitFailed, []string{path, want}, "check", path)
		mustFail(t, exitFailed, []string{path, want}, "exec", path, "-c", "CREATE GRAPH g")
		mustFail(t, exitFailed, []string{path, want}, "exec", path, "--read-only", "-c", "SHOW GRAPHS")
		if path != dir && !bytes.Equal(mustRead(t, path), before) {
			t.Errorf("%s was changed", path)
		}
	}
	missing := filepath.Join(dir, "missing")
	mustFail(t, exitFailed, []string{missing}, "check", missing)
	if _, err := os.Lstat(missing); err == nil {
		t.Error("check made the file")
	}
}

// makeNewer turns a store into one that requires a newer version of heavytail,
// as the header is laid out in package storage: a checksum, 8 bytes of magic,
// the format and the oldest reader.
func makeNewer(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		root, key := tx.Bucket([]byte("heavytail")), []byte("header")
		header := bytes.Clone(root.Get(key))
		binary.LittleEndian.PutUint32(header[12:], 99)
		binary.LittleEndian.PutUint32(header[16:], 99)
		signed := append([]byte{0, byte(len(key))}, key...)
		signed = append(signed, header[4:]...)
		binary.LittleEndian.PutUint32(header, crc32.Checksum(signed, crc32.MakeTable(crc32.Castagnoli)))
		return root.Put(key, header)
	})
	if err != nil {
		t.Fatal(err)
	}
}
