package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
)

// Of the streams that hand over files one is open at a time, however the one before ends;
// all others are let through.
func TestInTurn(t *testing.T) {
	const files, other = "/org.apache.beam.Staging/ReverseArtifactRetrievalService",
		"/org.apache.beam.Fn/Control"
	began, ends := make(chan string), make(chan func(), 1)
	begin := func(method string, fail error) {
		_, err := inTurn(context.Background(), nil, nil, method, func(_ context.Context, _ *grpc.StreamDesc,
			_ *grpc.ClientConn, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			began <- method
			for _, o := range opts {
				if o, ok := o.(grpc.OnFinishCallOption); ok && fail == nil {
					ends <- func() { o.OnFinish(nil) }
				}
			}
			return nil, fail
		}, grpc.EmptyCallOption{})
		if !errors.Is(err, fail) {
			t.Errorf("%v, want %v", err, fail)
		}
	}
	waits := func(what string) {
		t.Helper()
		select {
		case <-began:
			t.Fatal(what, " began before its turn")
		case <-time.After(20 * time.Millisecond):
		}
	}
	for _, fail := range []error{nil, errors.New("no connection")} {
		go begin(files, nil)
		<-began
		end := <-ends
		go begin(files, fail)
		waits("the second")
		go begin(other, nil)
		if got := <-began; got != other {
			t.Fatal(got, " began, want ", other)
		}
		waits("the second")
		end()
		<-began
		if fail == nil {
			end = <-ends
			end()
			end() // is no turn of another one
		}
	}
	go begin(files, nil)
	<-began
	(<-ends)()
}
