package jobs_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/query/internal/querytest"
	"heavytail/query/jobs"
	"heavytail/query/vectors"
)

// Long work runs in the background. If it was cancelled, or its process ended, Resume continues it.
func ExampleService_Wait() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	job, err := db.Vectors().StartEmbed(ctx, vectors.EmbedRequest{Graph: "social", Name: "walks", Using: vectors.DeepWalk{Dim: 8}})
	if err != nil {
		log.Fatal(err)
	}
	var service *jobs.Service = db.Jobs()
	job, err = service.Wait(ctx, job.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Kind, job.Target, job.State)
	// Output:
	// EMBED walks done
}
