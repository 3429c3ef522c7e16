package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// patient is an engine without a runner, and what it says.
func patient(limit time.Duration) (*engine, *strings.Builder) {
	said := new(strings.Builder)
	return &engine{limit: &limit, progress: said}, said
}

// What waits says so, and for how long it may is in the error, whatever the runner calls it.
func TestPatience(t *testing.T) {
	defer func(m time.Duration) { minute = m }(minute)
	minute = 20 * time.Millisecond
	e, said := patient(130 * time.Millisecond)
	other := errors.New("another word")
	tries := 0
	err := e.twice(context.Background(), "pass 7", func(ctx context.Context, _ func()) error {
		if _, ok := ctx.Deadline(); ok {
			t.Error("the runner has the deadline, and may name it first")
		}
		tries++
		<-ctx.Done()
		return other
	})
	if tries != 2 || !errors.Is(err, other) ||
		!strings.Contains(err.Error(), "twice: longer than --patience 130ms") {
		t.Errorf("%d tries: %v", tries, err)
	}
	if n := strings.Count(said.String(), "pass 7 has waited 0 s for workers\n"); n < 4 || n > 14 {
		t.Errorf("%d lines of waiting:\n%s", n, said)
	}
	if strings.Count(said.String(), "pass 7 is made once more: longer than --patience 130ms\n") != 1 {
		t.Errorf("%s", said)
	}
}

// What is alive has all of its patience from there on; what is stopped is not made again.
func TestPatienceAlive(t *testing.T) {
	e, said := patient(200 * time.Millisecond)
	if err := e.twice(context.Background(), "a sweep", func(ctx context.Context, alive func()) error {
		for range 8 {
			time.Sleep(50 * time.Millisecond)
			alive()
		}
		return ctx.Err()
	}); err != nil || said.String() != "" {
		t.Errorf("%v, %s", err, said)
	}
	ctx, cancel := context.WithCancel(context.Background())
	tries := 0
	err := e.twice(ctx, "pass 1", func(ctx context.Context, _ func()) error {
		tries++
		cancel()
		<-ctx.Done()
		return errors.New("stopped")
	})
	if tries != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d tries: %v", tries, err)
	}
}
