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

// provisionEndpoint is a flag that a runner passes, in addition to --id, to the command of
// an environment of type PROCESS.
var provisionEndpoint = flag.String("provision_endpoint", "", "set by a runner that starts this program as a worker: where it learns the rest")

// becomeWorker asks the runner that has started this process for the settings of a worker,
// and sets the flags with which beam.Init then runs the worker. In the containers of Beam
// a separate program does this, and fetches a copy of the program with the pipeline. Here
// both are this program, so that no copy is made, and the machines need no container.
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

// setUnless sets a flag to value, unless value is empty: then the runner has set the flag
// itself.
func setUnless(name, value string) error {
	if value == "" {
		return nil
	}
	return flag.Set(name, value)
}
