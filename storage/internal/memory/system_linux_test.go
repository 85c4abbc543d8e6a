package memory

import (
	"runtime/debug"
	"slices"
	"testing"
	"testing/fstest"
)

func TestGroupBounds(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []int64
	}{
		"version 2, the group around has a limit": {map[string]string{
			"proc/self/cgroup": "0::/user.slice/shell.scope\n",
			"sys/fs/cgroup/user.slice/shell.scope/memory.max": "max\n",
			"sys/fs/cgroup/user.slice/memory.max":             "2147483648\n",
		}, []int64{2 << 30}},
		"version 1, a container that sees its group as the root": {map[string]string{
			"proc/self/cgroup":                           "11:cpu:/docker/1f\n7:memory,hugetlb:/docker/1f\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/cpu/memory.max":               "1\n",
		}, []int64{512 << 20}},
		"a path that leads outside": {map[string]string{
			"proc/self/cgroup":         "0::/../../x\nstrange\n",
			"sys/fs/cgroup/memory.max": "1024",
		}, []int64{1024}},
		"none": {map[string]string{}, nil},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupBounds(root); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	bounds := systemBounds()
	if len(bounds) == 0 || slices.Min(bounds) < 64<<20 || Limit() > slices.Min(bounds) {
		t.Errorf("the limit is %d with the bounds %v", Limit(), bounds)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(400 << 20))
	if got := Limit(); got != min(300<<20, slices.Min(bounds)/4*3) {
		t.Errorf("with a limit of 400 MiB of the runtime: %d", got)
	}
}
