package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestShard_Scripts runs the manual's scripts for job arrays, with the variables that Slurm
// and Kubernetes set.
func TestShard_Scripts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	commands := commandFolder(t)
	page := string(mustRead(t, filepath.Join("manual", "shards.md")))
	script := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("the manual has no %s", pattern)
		}
		return found[1]
	}
	for variable, text := range map[string]string{
		"SLURM_ARRAY_TASK_ID":  script("(?s)```sh\n(#!/bin/bash\n.*?)```"),
		"JOB_COMPLETION_INDEX": script(`command: \[sh, -c, "(.*?)"\]`),
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, folder, merged, alone := filepath.Join(dir, "social.ht"), filepath.Join(dir, "D"), filepath.Join(dir, "merged.txt"), filepath.Join(dir, "alone.txt")
			mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g")
			walks := "EXPORT WALKS OF g USING deepwalk(walks := 2, length := 5) INTO FILE "
			mustRun(t, "", "shard", "plan", file, "--shards", "3", "--dir", folder, "--statement", walks+"'"+merged+"'")
			mustRun(t, "", "exec", file, "-c", walks+"'"+alone+"'")
			text := strings.NewReplacer("/shared/D", folder, "/shared/social.ht", file, " social.ht", " "+file).Replace(text)
			for shard := range 3 {
				c := exec.CommandContext(t.Context(), "bash", "-euc", text)
				c.Env = append(child(t).Env, variable+"="+strconv.Itoa(shard), "PATH="+commands+string(os.PathListSeparator)+os.Getenv("PATH"))
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("shard %d: %v: %s", shard, err, out)
				}
			}
			mustRun(t, "", "shard", "merge", "--dir", folder)
			if string(mustRead(t, merged)) != string(mustRead(t, alone)) {
				t.Error("the array wrote other bytes than the statement alone")
			}
		})
	}
}
