package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heavytail/.ci/repeat"
)

// TestScore scores a file of pairs by flags.
func TestScore(t *testing.T) {
	path, dir := sampleFile(t), t.TempDir()
	pairs, out := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "scores.csv")
	mustWrite(t, pairs, []byte("a,c\nx,a\nb,d\n"))
	mustRun(t, "", "score", path, "--pairs", pairs, "--with", "common_neighbors, katz", "--in", "line", "--out", out)
	if text := string(mustRead(t, out)); text != "source,target,common_neighbors,katz\na,c,1,0.0025\nx,a,,\nb,d,1,0.0025\n" {
		t.Errorf("scores %q", text)
	}
	printed := mustRun(t, "", "score", path, "--pairs", pairs, "--with", "common_neighbors", "--in", "line", "--out", "-", "--top", "1", "--threshold", "0.5")
	if printed != "source,target,common_neighbors\na,c,1\nb,d,1\n" {
		t.Errorf("printed %q", printed)
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file named -")
	}
	mustFail(t, exitUsage, []string{"--pairs"}, "score", path, pairs)
	mustFail(t, exitFailed, []string{"exists: to replace it, set --overwrite"}, "score", path, "--pairs", pairs, "--with", "katz", "--out", out)
	mustRun(t, "a b\n", "score", path, "--pairs", "-", "--with", "cosine(e)", "--out", out, "--overwrite")
	mustFail(t, exitUsage, []string{"--with is"}, "score", path, "--pairs", pairs, "--with", "katz WITH (x := 1)", "--out", out)
	mustFail(t, exitFailed, []string{`unknown scorer "kats"`}, "score", path, "--pairs", pairs, "--with", "kats", "--out", filepath.Join(dir, "scores2.csv"))
	mustFail(t, exitUsage, []string{"--out is missing"}, "score", path, "--pairs", pairs, "--with", "katz")
	mustFail(t, exitFailed, []string{"a run that reads standard input cannot be resumed"}, "score", path, "--pairs", "-", "--with", "katz", "--out", filepath.Join(dir, "scores2.csv"), "--resume")
}

// TestKill_Score kills runs at random moments, and resumes each.
func TestKill_Score(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills processes at many moments")
	}
	path, dir := newFile(t), t.TempDir()
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 2000, m := 20, seed := 1) INTO g")
	var text bytes.Buffer
	lines := 900_000
	for i := range lines {
		fmt.Fprintf(&text, "%d,%d\n", i%2000, i*7919%2001)
	}
	pairs, whole, out := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "whole.csv.zst"), filepath.Join(dir, "scores.csv.zst")
	mustWrite(t, pairs, text.Bytes())
	flags := []string{"score", path, "--pairs", pairs, "--with", "adamic_adar", "--out"}
	began := time.Now()
	mustRun(t, "", append(flags, whole)...)
	usual := time.Since(began)
	flags = append(flags, out, "--resume")
	for i := range repeat.Times(2) {
		cmd := child(t, flags...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(usual*time.Duration(i%3+1)/3, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		// The file is whole where the command was faster, or was killed as it ended.
		if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	mustRun(t, "", flags...)
	if !bytes.Equal(mustRead(t, out), mustRead(t, whole)) {
		t.Error("the file differs from that of a run that was not killed")
	}
}

// TestKill_Ranges kills processes that score ranges of a file at many moments, and continues
// them: the parts, one after the other, are the file of one process.
func TestKill_Ranges(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills processes at many moments")
	}
	path, dir := newFile(t), t.TempDir()
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 2000, m := 20, seed := 1) INTO g")
	const ranges, count = 3, 300_000 // each has a section that is on the disk
	var text bytes.Buffer
	for i := range ranges*count - 100 {
		fmt.Fprintf(&text, "%d,%d\n", i%2000, i*7919%2001)
	}
	pairs, whole := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "whole.csv")
	mustWrite(t, pairs, text.Bytes())
	flags := []string{"score", path, "--pairs", pairs, "--with", "adamic_adar", "--out"}
	began := time.Now()
	mustRun(t, "", append(flags, whole)...)
	usual := time.Since(began) / ranges
	var all []byte
	for r := range ranges {
		out := filepath.Join(dir, fmt.Sprintf("part-%d.csv", r))
		args := append(flags, out, "--resume", "--first", fmt.Sprint(r*count), "--count", fmt.Sprint(count))
		for i := range repeat.Times(2) {
			cmd := child(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(usual*time.Duration(i%3+1)/3, func() { cmd.Process.Kill() })
			cmd.Wait()
			timer.Stop()
			// The part is complete where the command was faster, or was killed as it ended.
			if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		mustRun(t, "", args...)
		all = append(all, mustRead(t, out)...)
	}
	if !bytes.Equal(all, mustRead(t, whole)) {
		t.Error("the parts differ from the file of a run that was not killed")
	}
}
