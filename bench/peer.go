package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// peer is a process of another library, which stays warm from item to item. It answers
// one line of JSON to each line.
type peer struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
}

// request is what a peer is asked: to prepare an item, to time it, to make data, to
// tell its versions.
type request struct {
	Op   string  `json:"op"`
	Item string  `json:"item,omitempty"`
	Args any     `json:"args,omitempty"`
	Tol  float64 `json:"tol,omitempty"`
	Reps int     `json:"reps,omitempty"`
}

type answer struct {
	Error    string             `json:"error"`
	Form     string             `json:"form"`  // the fastest one
	Forms    map[string]float64 `json:"forms"` // seconds of each, in a first try
	Value    []float64          `json:"value"` // what ours must agree with
	Seconds  float64            `json:"seconds"`
	Versions map[string]string  `json:"versions"`
}

// startPeer starts a process that may use so many threads.
func startPeer(name string, threads int, command ...string) (*peer, error) {
	p := &peer{name: name, cmd: exec.Command(command[0], command[1:]...)}
	n := strconv.Itoa(threads)
	p.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n, "NUMBA_NUM_THREADS="+n)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(out)
	return p, p.cmd.Start()
}

func (p *peer) ask(r request) (a answer, err error) {
	if err := json.NewEncoder(p.in).Encode(r); err != nil {
		return a, fmt.Errorf("%s does not listen: %w", p.name, err)
	}
	if err := p.out.Decode(&a); err != nil {
		return a, fmt.Errorf("%s gives no answer: %w", p.name, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s %s: %s", p.name, r.Op, r.Item, a.Error)
	}
	return a, nil
}

func (p *peer) stop() {
	p.in.Close()
	p.cmd.Wait()
}
