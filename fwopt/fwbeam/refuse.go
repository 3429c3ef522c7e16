package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// names are Beam's other ones for the runners of this program.
var names = map[string]string{"PrismRunner": "prism", "portable": "universal", "PortableRunner": "universal"}

// registered reports whether this program has a runner of that name. Beam panics
// where one is registered twice. One that is not here is afterwards, as nothing: the caller has to end.
func registered(name string) (yes bool) {
	defer func() { yes = recover() != nil }()
	beam.RegisterRunner(name, nil)
	return false
}

// refuse returns an error for what no pass can be made with. Without it Beam would end the
// program, or each pass would fail or wait.
func (e *engine) refuse() error {
	if !registered(*e.runner) || *e.runner == "vet" { // which runs nothing
		return fmt.Errorf("--runner %s is none of this program's, which are prism, PrismRunner, universal, "+
			"portable, PortableRunner: Flink and Spark are --runner universal with the --endpoint of their job "+
			"server, Dataflow is an import: see the table under \"On other runners\" in README.md", *e.runner)
	}
	if ours, ok := names[*e.runner]; ok {
		*e.runner = ours
	}
	if *jobopts.Async {
		return errors.New("--async cannot be: what a pass brings is read when it has ended")
	}
	if strings.ToLower(*jobopts.EnvironmentType) != "process" {
		return nil
	}
	var env struct{ Command string }
	if err := json.Unmarshal([]byte(*jobopts.EnvironmentConfig), &env); err != nil || env.Command == "" {
		return fmt.Errorf(`--environment_config %q is no {"command":"PATH"}, as --environment_type PROCESS needs it (%v)`, *jobopts.EnvironmentConfig, err)
	}
	host, _, _ := net.SplitHostPort(*jobopts.Endpoint)
	if ip := net.ParseIP(host); filepath.IsAbs(env.Command) && (host == "localhost" || ip != nil &&
		ip.IsLoopback()) {
		if _, err := exec.LookPath(env.Command); err != nil {
			return fmt.Errorf("no worker can begin: the command of --environment_config: %w", err)
		}
	}
	return nil
}
