package main

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Prism v2.77.0 writes to a map where pipelines hand over their files, without a lock: two
// that begin at once now and then end its process. So those of a driver take turns there.
func init() {
	grpcx.Dial = func(ctx context.Context, endpoint string, timeout time.Duration) (*grpc.ClientConn, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		//lint:ignore SA1019 Beam dials so, and its callers count on a connection that stands
		return grpc.DialContext(ctx, endpoint, grpc.WithBlock(),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
			grpc.WithStreamInterceptor(inTurn))
	}
}

var staging sync.Mutex

// inTurn opens a stream; one that hands over files once no other does.
func inTurn(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer,
	opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if !strings.HasSuffix(method, "/ReverseArtifactRetrievalService") {
		return open(ctx, d, cc, method, opts...)
	}
	staging.Lock()
	over := sync.OnceFunc(staging.Unlock)
	s, err := open(ctx, d, cc, method, append(opts, grpc.OnFinish(func(error) { over() }))...)
	if err != nil {
		over()
	}
	return s, err
}
