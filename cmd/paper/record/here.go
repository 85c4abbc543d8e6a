package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"heavytail/storage/vec"
)

// here returns a run with this machine, the commit of the checkout, and today.
func here() (Run, error) {
	commit, err := describe()
	if err != nil {
		return Run{}, err
	}
	processor, memory := machine(read("/proc/cpuinfo"), read("/proc/meminfo"))
	return Run{
		Machine: Machine{
			Processor: processor, Cores: runtime.NumCPU(), MemoryGB: memory,
			Kernels: vec.Kind(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		},
		Commit: commit, Date: time.Now().UTC().Format(time.DateOnly),
	}, nil
}

// describe returns the commit, with "-dirty" if a file differs from it that has an influence
// on figures: the figures of a run before this one are no such file.
func describe() (string, error) {
	commit, err := git("describe", "--always", "--abbrev=7")
	if err != nil {
		return "", err
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(exclude,top)cmd/paper/figures", ":(exclude,top)cmd/paper/BENCHMARKS.md")
	if changed != "" {
		commit += "-dirty"
	}
	return commit, err
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// machine returns the model of the processor, and the memory in 10⁹ bytes, 0 if that is not
// known, from the texts of the files that Linux has for them.
func machine(cpuinfo, meminfo string) (processor string, memory int) {
	processor = runtime.GOARCH
	if model := valueOf(cpuinfo, "model name"); model != "" {
		processor = model
	}
	kib, _ := strconv.Atoi(strings.TrimSuffix(valueOf(meminfo, "MemTotal"), " kB"))
	return processor, (kib*1024 + 5e8) / 1e9
}

// valueOf returns the value in the first line "name : value" of a text, "" if there is none.
func valueOf(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load returns the load average of the last minute, "" where the system does not have it.
func load() string {
	average, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	return average
}

// read returns the text of a file, "" if it cannot be read.
func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}
