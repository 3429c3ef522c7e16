//go:build js && wasm

// Engine is the Go half of the kernel in its worker: it makes programs of cells and reads what gonbui writes.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"io"
	"strings"
	"syscall/js"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/projection-free/fwlab/notebooks/kernel/cells"
)

var (
	book *cells.Notebook
	last *cells.Program // the one that was composed last
)

func main() {
	gob.Register(map[string]any{}) // what JSON is made of: fwnb sends sliders so
	gob.Register([]any{})
	export := func(name string, f func(args []js.Value) any) {
		js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) }))
	}
	export("fwNames", func(args []js.Value) any { // the names of packages by their paths
		var names map[string]string
		if err := json.Unmarshal([]byte(args[0].String()), &names); err != nil {
			return err.Error()
		}
		book = cells.New(names)
		return nil
	})
	export("fwCompose", func(args []js.Value) any {
		p, err := book.Compose(args[0].Int(), args[1].String())
		last = p
		commands := make([]any, len(p.Commands))
		for i, words := range p.Commands {
			commands[i] = list(words)
		}
		out := map[string]any{"commands": commands, "text": p.Text, "test": p.Test, "empty": p.Empty,
			"args": list(p.Args), "notes": list(p.Notes), "imports": list(p.Imports)}
		if err != nil {
			out["error"] = err.Error()
		}
		return out
	})
	export("fwKeep", func([]js.Value) any { book.Keep(last); return nil })
	export("fwError", func(args []js.Value) any { // what the compiler says, with the cell's lines
		return (&cells.Error{Text: args[0].String(), Lines: last.Lines, Code: last.Text}).Error()
	})
	export("fwTrace", func(args []js.Value) any { return last.Trace(args[0].String()) })
	export("fwPipe", func(args []js.Value) any { // a new run: show gets messages, answer gets bytes for the program
		open(args[0], args[1])
		return nil
	})
	export("fwFeed", func(args []js.Value) any {
		b := make([]byte, args[0].Length())
		js.CopyBytesToGo(b, args[0])
		pipe.feed(b)
		return nil
	})
	js.Global().Call("fwReady")
	select {}
}

func list(all []string) any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// queue is a reader that blocks when it is empty, and tells its feeder so.
type queue struct {
	data  chan []byte
	empty chan bool
	rest  []byte
	owed  bool // the feeder waits
}

var pipe *queue

func (q *queue) feed(b []byte) {
	if len(b) == 0 {
		return
	}
	q.data <- b
	<-q.empty // all that is whole has been read
}

func (q *queue) Read(p []byte) (int, error) {
	if len(q.rest) == 0 {
		q.free()
		b, ok := <-q.data
		if !ok {
			return 0, io.EOF
		}
		q.rest, q.owed = b, true
	}
	n := copy(p, q.rest)
	q.rest = q.rest[n:]
	return n, nil
}

// free lets the feeder go on.
func (q *queue) free() {
	if q.owed {
		q.owed = false
		q.empty <- true
	}
}

func open(show, answer js.Value) {
	if pipe != nil {
		close(pipe.data)
	}
	q := &queue{data: make(chan []byte), empty: make(chan bool)}
	pipe = q
	var out bytes.Buffer
	enc := gob.NewEncoder(&out)
	go func() {
		dec := gob.NewDecoder(q)
		for {
			var d protocol.DisplayData
			if err := dec.Decode(&d); err != nil {
				io.Copy(io.Discard, q) // what cannot be read is left, and the run goes on
				return
			}
			data := map[string]any{}
			for kind, v := range d.Data {
				switch v := v.(type) {
				case string:
					data[string(kind)] = v
				case []byte:
					if strings.HasPrefix(string(kind), "text/") || kind == protocol.MIMEImageSVG {
						data[string(kind)] = string(v)
					} else {
						data[string(kind)] = base64.StdEncoding.EncodeToString(v)
					}
				case protocol.CommValue:
					answers(v, enc, &out, answer)
				case *protocol.CommValue:
					answers(*v, enc, &out, answer)
				case protocol.InputRequest, *protocol.InputRequest:
					data["text/plain"] = "a cell cannot ask for input here"
				default:
					if b, err := json.Marshal(v); err == nil {
						data[string(kind)] = js.Global().Get("JSON").Call("parse", string(b))
					}
				}
			}
			if len(data) == 0 {
				continue
			}
			var metadata any
			if b, err := json.Marshal(d.Metadata); err == nil {
				metadata = js.Global().Get("JSON").Call("parse", string(b))
			}
			show.Invoke(map[string]any{"data": data, "metadata": metadata, "id": d.DisplayID})
		}
	}()
}

func answers(v protocol.CommValue, enc *gob.Encoder, out *bytes.Buffer, answer js.Value) {
	if v.Address != protocol.GonbuiSyncAddress {
		return
	}
	out.Reset()
	if enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}) == nil {
		b := js.Global().Get("Uint8Array").New(out.Len())
		js.CopyBytesToJS(b, out.Bytes())
		answer.Invoke(b)
	}
}
