package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// provisionEndpoint is what a runner gives to the command of an environment of the type
// PROCESS, beside --id.
var provisionEndpoint = flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker: where it learns the rest")

// becomeWorker asks the runner that has started this process what a worker has to know,
// and sets the flags by which beam.Init then serves it. In the images of Beam a program of
// its own does so, after it has fetched the program with the pipeline. Here that is this
// one, so that no copy is made, and the machines need no container.
func becomeWorker(ctx context.Context) error {
	// prism 2.77 puts the number in quotes.
	id := strings.Trim(flag.Lookup("id").Value.String(), "'")
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *provisionEndpoint)
	if err != nil {
		return fmt.Errorf("asking %s: %w", *provisionEndpoint, err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
	if status := info.GetStatusEndpoint().GetUrl(); status != "" {
		os.Setenv("STATUS_ENDPOINT", status)
	}
	return errors.Join(
		flag.Set("worker", "true"),
		flag.Set("id", id),
		flag.Set("options", options),
		setUnless("logging_endpoint", info.GetLoggingEndpoint().GetUrl()),
		setUnless("control_endpoint", info.GetControlEndpoint().GetUrl()),
	)
}

// setUnless sets a flag, unless the runner has named no value: then it has set the flag.
func setUnless(name, value string) error {
	if value == "" {
		return nil
	}
	return flag.Set(name, value)
}
