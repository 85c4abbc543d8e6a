package skipgram

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"heavytail/embedding/walk"
)

// trainsAlone is an environment variable. If it is set, the process only trains, with this
// number of workers.
const trainsAlone = "HEAVYTAIL_TEST_WORKERS"

// Two workers that share one processor take as much processor time as one, because a
// waiting worker sleeps. Each training runs in a separate process that may use only one
// processor, with GOMAXPROCS 2.
func TestTrain_WaitsWithoutProcessor(t *testing.T) {
	if workers, err := strconv.Atoi(os.Getenv(trainsAlone)); err == nil {
		c := walks(t, communities(t, partVertices+partVertices/4), walk.Options{Walks: 2})
		train(t, c, Options{Dim: 32, Workers: workers})
		return
	}
	if testing.Short() {
		t.Skip("trains in other processes, to compare what they take")
	}
	// Busy waiting takes ten times as much, again and again. The limit is far from both
	// values, to allow for machines on which switching between threads is expensive. Other
	// work of the machine adds to a time, but not to all of them.
	for range 20 {
		one, two := pinned(t, 1), pinned(t, 2)
		t.Logf("two workers take %v of one processor, one takes %v", two, one)
		if float64(two) <= 3*float64(one) {
			return
		}
	}
	t.Error("two workers always take more than three times as much as one")
}

// pinned trains in a process that may use one processor, and returns its processor time.
func pinned(t *testing.T, workers int) time.Duration {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestTrain_WaitsWithoutProcessor$")
	cmd.Env = append(os.Environ(), trainsAlone+"="+strconv.Itoa(workers), "GOMAXPROCS=2")
	// The process inherits the set of processors of the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	output, err := cmd.CombinedOutput()
	if err := unix.SchedSetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
