package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/query/shard"
	"heavytail/repl"
	"heavytail/storage/format"
)

// newShard is the parent command of those that divide a long statement among processes.
func newShard(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shard COMMAND",
		Short: "Divide a long statement among processes and machines",
		Long: `Divide SCORE FILE, NEAREST … FOR ALL, EXPORT WALKS, RECONSTRUCT, MATERIALIZE
PREDICTIONS, EVALUATE LINKS or EVALUATE PARAMETERS into shards, which any processes run
on any machines that see one folder, and merge their rows into the file that the
statement would have written alone: the same bytes. Predictions are merged into the
heavytail file, and the table of an evaluation is printed. See 'heavytail manual shards'.`,
		Example: `  heavytail shard plan social.ht --statement "NEAREST 10 FOR ALL USING spec INTO FILE 'near.csv'" --shards 64 --dir D
  heavytail shard run social.ht --dir D --shard 7/64
  heavytail shard status --dir D
  heavytail shard merge --dir D`,
	}
	for _, sub := range []*cobra.Command{newShardPlan(std), newShardRun(std), newShardStatus(std), newShardMerge(std)} {
		sub.Flags().String("dir", "", "folder of the plan")
		require(sub, "dir")
		must(sub.MarkFlagDirname("dir"))
		cmd.AddCommand(sub)
	}
	return cmd
}

func newShardPlan(std streams) *cobra.Command {
	var statement string
	var shards int
	var data bool
	cmd := &cobra.Command{
		Use:   "plan FILE --statement STATEMENT --shards N --dir D [--data]",
		Short: "Divide a statement into shards",
		Long: `Divide a statement into N shards, numbered from 0, and write their inputs into the
folder D, which has everything that a shard needs except FILE. With --data it also has
the graph and the vectors that the statement reads, as Parquet, and shards need no FILE.`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runOn(cmd, std, args[0], shardOptions(), "table", func(r *runner) error {
				plan := shard.Make
				if data {
					plan = shard.MakeWithData
				}
				m, err := plan(r.ctx, r.db, flagText(cmd, "dir"), statement, shards)
				if err != nil {
					return err
				}
				return r.writeShards("planned", m)
			})
		},
	}
	cmd.Flags().StringVar(&statement, "statement", "", shard.Forms())
	cmd.Flags().IntVar(&shards, "shards", 0, "number of shards: several for each process, so that all end at about the same time")
	cmd.Flags().BoolVar(&data, "data", false, "also write the graph and the vectors into the folder, as Parquet")
	require(cmd, "statement", "shards")
	return cmd
}

// shardOptions open a file as shards do: many processes read it at once.
func shardOptions() query.Options { return query.Options{ReadOnly: true, NoCreate: true} }

// writeShards prints how many shards and rows a plan has.
func (r *runner) writeShards(what string, m *shard.Manifest) error {
	var rows int64
	for _, s := range m.Shards {
		rows += s.Rows
	}
	return writeText(r.std.out, fmt.Sprintf("%s %s of %s\n", what, count(len(m.Shards), "shard"), count(rows, unit(m))))
}

// unit names the rows of the shards of a plan.
func unit(m *shard.Manifest) string {
	if m.Answered() {
		return "trial"
	}
	return "row"
}

func newShardRun(std streams) *cobra.Command {
	var which, cache string
	cmd := &cobra.Command{
		Use:   "run [FILE] --dir D [--shard I | --shard I-J] [--cache FOLDER]",
		Short: "Run a shard, several, or all that are not done",
		Long: `Run shard I of the plan in the folder D on FILE, which is only read; or the shards I to
J, or without --shard all that are not done. Consecutive shards of a plain text of pairs
are run together, others one after the other. A shard that is done is verified and not
run again, so that a command that was stopped can be started again.

Without FILE the plan must have data (heavytail shard plan --data). They are verified, and
a heavytail file is made from them in the folder for temporary files and removed at the
end; with --cache it stays in FOLDER, and other processes of the machine use it.`,
		Example: `  heavytail shard run social.ht --dir D --shard $SLURM_ARRAY_TASK_ID
  heavytail shard run social.ht --dir D --shard 7/64
  heavytail shard run social.ht --dir D --shard 8-15
  heavytail shard run --dir D --shard 7 --cache /tmp`,
		Args: between(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := shard.Open(flagText(cmd, "dir"))
			if err != nil {
				return err
			}
			first, last, err := whichShards(which, len(m.Shards))
			if err != nil {
				return err
			}
			run := func(file string) error {
				return runOn(cmd, std, file, shardOptions(), "table", func(r *runner) error {
					return m.RunAll(r.ctx, r.db, first, last)
				})
			}
			switch {
			case len(args) == 0:
				return onData(cmd, m, cache, run)
			case cache != "":
				return usageError{errors.New("--cache is for runs without FILE")}
			}
			return run(args[0])
		},
	}
	cmd.Flags().StringVar(&cache, "cache", "", "folder on this machine that keeps the file that is made from the data")
	must(cmd.MarkFlagDirname("cache"))
	cmd.Flags().StringVar(&which, "shard", "", "number of the shard, from 0, as 7 or 7/64, or a range, as 8-15")
	return cmd
}

// onData calls run with a heavytail file that is made of the data of a plan. Without a cache it
// is removed when run returns.
func onData(cmd *cobra.Command, m *shard.Manifest, cache string, run func(file string) error) (err error) {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	folder := cache
	if cache == "" {
		if folder, err = os.MkdirTemp("", "heavytail-shard-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	file := filepath.Join(folder, m.StoreName())
	// Another process may have made it, before or meanwhile.
	if err := m.Restore(ctx, file); err != nil && !errors.Is(err, format.ErrExists) {
		return err
	}
	stop()
	return run(file)
}

// whichShards parses the flag of shards: 7, 8-15, or the same with /64 behind it if there are 64
// shards. An empty text means all shards.
func whichShards(text string, shards int) (first, last int, err error) {
	if text == "" {
		return 0, shards - 1, nil
	}
	numbers, of, has := strings.Cut(text, "/")
	from, to, several := strings.Cut(numbers, "-")
	first, err = strconv.Atoi(from)
	last = first
	if several && err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 0 || last < first || last >= shards || has && of != strconv.Itoa(shards) {
		return 0, 0, usageError{fmt.Errorf("--shard is %q, expected 0 to %d, or a range such as 0-%d, or the same with /%d behind it", text, shards-1, shards-1, shards)}
	}
	return first, last, nil
}

func newShardStatus(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "status --dir D",
		Short: "Show which shards are done",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := shard.Open(flagText(cmd, "dir"))
			if err != nil {
				return err
			}
			states, err := m.Status()
			if err != nil {
				return err
			}
			return writeText(std.out, shardStatus(m, states))
		},
	}
}

// shardStatus says how much is done, and which shards are missing.
func shardStatus(m *shard.Manifest, states []shard.State) string {
	var rows, all int64
	var seconds float64
	var missing []int
	for _, s := range states {
		all += s.Rows
		if s.Done {
			rows += s.Rows
			seconds += s.Seconds
		} else {
			missing = append(missing, s.Shard)
		}
	}
	text := fmt.Sprintf("%s\n%d of %s done, %d of %s, in %.1f s\n", parser.Escape(m.Statement),
		len(states)-len(missing), count(len(states), "shard"), rows, count(all, unit(m)), seconds)
	if len(missing) > 0 {
		text += "missing: " + shard.Ranges(missing) + "\n"
	}
	return text
}

func newShardMerge(std streams) *cobra.Command {
	var out, format string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "merge [FILE] --dir D [--out OUT | --format FORMAT]",
		Short: "Write the rows of all shards into one file, store them, or print them",
		Long: `Verify the rows of all shards, and write them in order into OUT, or into the file that
the statement names. The file appears when it is complete. If one process ran all shards
of a plain text of pairs, it is a hard link to their file in D. With FILE, which is only
read, its graph and its vectors must be those of the plan.

The predictions of MATERIALIZE PREDICTIONS are stored in FILE, in one step, and replace
those of the same scorer. FILE must have the graph and the vectors of the plan.

The table of EVALUATE LINKS or EVALUATE PARAMETERS is made from the figures of all trials,
and printed as exec prints it, or written to the file of INTO FILE. FILE is only read,
and must have the graph of the plan; it may be left out if the plan has data.`,
		Args: between(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := shard.Open(flagText(cmd, "dir"))
			if err != nil {
				return err
			}
			if err := mergeFlags(cmd, m, len(args) > 0); err != nil {
				return err
			}
			if m.Stored() {
				return runOn(cmd, std, args[0], query.Options{NoCreate: true}, "table", func(r *runner) error {
					return m.MergeInto(r.ctx, r.db)
				})
			}
			if m.Answered() {
				run := func(file string) error {
					return runOn(cmd, std, file, shardOptions(), format, func(r *runner) error {
						return unreported(repl.Write(r.config(), func() (*rows.Rows, error) { return m.Answer(r.ctx, r.db) }))
					})
				}
				if len(args) == 0 {
					return onData(cmd, m, "", run)
				}
				return run(args[0])
			}
			if len(args) == 0 {
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				return m.Merge(ctx, out, overwrite)
			}
			return runOn(cmd, std, args[0], shardOptions(), "table", func(r *runner) error {
				if err := m.Verify(r.ctx, r.db); err != nil {
					return err
				}
				return m.Merge(r.ctx, out, overwrite)
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "file for the rows")
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace a file that exists")
	addFormat(cmd, &format)
	return cmd
}

// mergeFlags refuses flags of merge that have no meaning for a plan, and a missing FILE.
func mergeFlags(cmd *cobra.Command, m *shard.Manifest, file bool) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case (m.Stored() || m.Answered()) && (given("out") || given("overwrite")):
		text := "the predictions replace those in FILE"
		if m.Answered() {
			text = "the table is printed, or written to the file of INTO FILE in the statement"
		}
		return usageError{fmt.Errorf("--out and --overwrite are for rows in a file of their own; %s", text)}
	case !m.Answered() && given("format"):
		return usageError{errors.New("--format is for a table that is printed; these rows go into a file")}
	case m.Stored() && !file:
		return usageError{errors.New("FILE is missing: the predictions are stored in it")}
	case m.Answered() && !file && m.Data == nil:
		return usageError{errors.New("FILE is missing, and the plan has no data: the table is made for its graph")}
	}
	return nil
}
