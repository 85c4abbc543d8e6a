package storage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Tests that kill a process, or open files that may kill it, run the test binary again as a
// child, with childEnv set to a job and its arguments.
const childEnv = "HEAVYTAIL_STORAGE_CHILD"

// runChild does the job of a child process, if this is one.
func runChild() bool {
	job := strings.Split(os.Getenv(childEnv), "\n")
	switch job[0] {
	case "":
		return false
	case "import":
		childImport(job[1], atoi(job[2]), atoi(job[3]), atoi(job[4]))
	case "update":
		childUpdate(job[1], atoi(job[2]))
	case "batch":
		childBatch(job[1], atoi(job[2]))
	case "put":
		childPut(job[1], atoi(job[2]))
	case "checkpoint":
		childCheckpoint(job[1], job[2], job[3], atoi(job[4]))
	case "mutants":
		childMutants(job[1], job[2], atoi(job[3]), atoi(job[4]))
	case "rewrite":
		childRewrite(job[1], job[2], atoi(job[3]))
	case "model":
		childModel(job[1], atoi(job[2]), atoi(job[3]))
	case "turns":
		childTurns(job[1])
	case "hold":
		childHold(job[1])
	default:
		fail(fmt.Errorf("unknown job %q", job[0]))
	}
	return true
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	fail(err)
	return n
}

// fail ends a child that failed.
func fail(err error) {
	if err != nil {
		fmt.Println("child:", err)
		os.Exit(3)
	}
}

// startChild starts a child and returns the lines of its output.
func startChild(t *testing.T, job ...any) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd, _, out := startTalk(t, job...)
	return cmd, out
}

// startTalk is startChild with the input of the child, which ends when the child is
// waited for.
func startTalk(t *testing.T, job ...any) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	var words []string
	for _, word := range job {
		words = append(words, fmt.Sprint(word))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(words, "\n"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewScanner(out)
}

// killSelf ends this process as kill -9 does.
func killSelf() {
	p, err := os.FindProcess(os.Getpid())
	fail(err)
	fail(p.Kill())
	select {}
}

// killAfter makes a store kill its process before commit number n, counted
// from 0; never where n is negative.
func killAfter(db *DB, n int) {
	commits := 0
	db.file.BeforeCommit = func() error {
		if commits == n {
			killSelf()
		}
		commits++
		return nil
	}
}

// childHold opens a store and holds it until its input ends.
func childHold(path string) {
	db, err := Open(path, nil)
	fail(err)
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	fail(db.Close())
}

// childImport imports with room for edges in memory; where that is little, they go
// to temporary files.
func childImport(path string, commits, room, directed int) {
	db, err := Open(path, &Options{BatchBytes: killBatch})
	fail(err)
	killAfter(db, commits)
	opts := killOptions(directed == 1)
	opts.edgeRoom = int64(room)
	stats, err := db.Import(context.Background(), "g", strings.NewReader(killValues()), opts)
	fail(err)
	fmt.Println("done", stats.Resumed)
	fail(db.Close())
}

// childUpdate writes new versions of the graphs "g" and "h" without end, both in one
// transaction.
func childUpdate(path string, commits int) {
	ctx := context.Background()
	db, err := Open(path, nil)
	fail(err)
	killAfter(db, commits)
	for {
		info, err := db.Graph(ctx, "g")
		fail(err)
		version := info.Version + 1
		fail(db.Update(ctx, func(x *Tx) error {
			insert, remove := killEdges(version)
			for _, graph := range []string{"g", "h"} {
				if _, err := x.InsertEdges(graph, insert); err != nil {
					return err
				}
				if _, err := x.DeleteEdges(graph, remove); err != nil {
					return err
				}
			}
			return nil
		}))
		fmt.Println("version", version)
	}
}

// childBatch inserts vertices by many calls at once without end, and says which are there when their calls return.
func childBatch(path string, commits int) {
	db, err := Open(path, nil)
	fail(err)
	killAfter(db, commits)
	for w := range batchWriters {
		go func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				fail(db.Batch(context.Background(), func(x *Tx) error {
					_, err := x.InsertVertices("g", []Vertex{{Key: key}})
					return err
				}))
				fmt.Println(key) // one write, which others do not divide
			}
		}()
	}
	select {}
}

// childPut replaces an embedding by new generations without end.
func childPut(path string, commits int) {
	db, err := Open(path, &Options{BatchBytes: 2 << 20})
	fail(err)
	killAfter(db, commits)
	for {
		info, err := db.EmbeddingInfo(context.Background(), "e")
		fail(err)
		_, err = db.PutEmbedding(context.Background(), EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, constantRows(killVertices, float32(info.Generation+1)))
		fail(err)
		fmt.Println("generation", info.Generation+1)
	}
}

// waitKilled waits for a child that kills itself or is killed, and fails the test if the
// child failed for another reason.
func waitKilled(t *testing.T, cmd *exec.Cmd) (finished bool) {
	t.Helper()
	err := cmd.Wait()
	if err == nil {
		return true
	}
	if cmd.ProcessState.ExitCode() == 3 {
		t.Fatal("child failed")
	}
	return false
}

// never is a time after which no child is killed: the child always reaches the commit at
// which it kills itself.
const never = time.Duration(math.MaxInt64)

// randomMoment kills a child after a random time.
func randomMoment(cmd *exec.Cmd, wait time.Duration) *time.Timer {
	return time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
}
