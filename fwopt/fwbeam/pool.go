package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// pool is the command pool: workers in this process, for the jobs of a cluster one after another, so that none waits
// for a process to begin.
func pool(ctx context.Context, f *flag.FlagSet, args []string) error {
	port := f.Int("port", 50000, "where this machine's part of the cluster asks for workers")
	f.Parse(args)
	log.SetLogger(quiet{})
	beam.Init()
	l, err := net.Listen("tcp", fmt.Sprintf("localhost:%d", *port))
	if err != nil {
		return fmt.Errorf("--port %d: %w: another program has it: take another port", *port, err)
	}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, &workerPool{ctx: ctx})
	context.AfterFunc(ctx, server.Stop)
	fmt.Fprintf(os.Stderr, "workers: --environment_type EXTERNAL --environment_config localhost:%d\n", *port)
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// workerPool starts the workers of all TaskManagers of a machine. Each TaskManager counts its own from 1, so that an id says
// nothing here: Beam's own pool takes the second worker of a name for the first one again and refuses it.
type workerPool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	ctx context.Context
}

func (w *workerPool) StartWorker(_ context.Context,
	ask *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {

	ctx := grpcx.WriteWorkerID(w.ctx, ask.GetWorkerId())
	var opts harness.Options
	if url := ask.GetProvisionEndpoint().GetUrl(); url != "" {
		info, err := tools.ProvisionInfo(ctx, url)
		if err != nil {
			return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
		}
		opts = harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(),
			RunnerCapabilities: info.GetRunnerCapabilities()}
	}
	logging, control := ask.GetLoggingEndpoint().GetUrl(), ask.GetControlEndpoint().GetUrl()
	go harness.MainWithOptions(ctx, logging, control, opts)
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker has nothing to do: a worker ends when its TaskManager hangs up.
func (w *workerPool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}
