// Heavytail-mcp lets agents use a heavytail file by the Model Context Protocol, on standard input and output:
//
//	heavytail-mcp social.ht
//	heavytail-mcp --write --time-limit 10m social.ht
//
// The tools list what the file has, describe an object, run a statement, show why two vertices may be
// linked, and search HELP and the manual. Without --write, statements that write are errors. Answers have at most
// --rows rows; further ones are on the next page. The resources are HELP of each statement, and the pages of
// the manual in parts of at most 8 KiB.
//
// If heavytail serve has the file open, its server answers. Otherwise the file is opened, and locked
// only while a statement runs, so that other programs use it in turn; files that statements name are
// then in the folder of the file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heavytail/query"
)

func main() {
	write := flag.Bool("write", false, "allow statements that write")
	most := flag.Int("rows", 100, "most rows of an answer")
	limit := flag.Duration("time-limit", time.Minute, "longest time of a statement")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: heavytail-mcp [flags] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || flag.Arg(0) == query.Memory || *most < 1 || *limit <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	f := &file{path: flag.Arg(0), write: *write, rows: *most, limit: *limit}
	err := newServer(f).Run(ctx, &mcp.StdioTransport{})
	if ctx.Err() != nil {
		err = nil // asked to end
	}
	stop()
	if err := errors.Join(err, f.close()); err != nil {
		fmt.Fprintln(os.Stderr, "heavytail-mcp:", err)
		os.Exit(1)
	}
}
