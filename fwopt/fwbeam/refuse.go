package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// names are those by which Beam's runners are known, each with ours.
var names = [][2]string{{"prism", "prism"}, {"PrismRunner", "prism"},
	{"universal", "universal"}, {"portable", "universal"}, {"PortableRunner", "universal"},
	{"flink", "flink"}, {"FlinkRunner", "flink"}, {"spark", "spark"}, {"SparkRunner", "spark"},
	{"dataflow", "dataflow"}, {"DataflowRunner", "dataflow"}}

// registered reports whether this program has a runner of that name. Beam has no list of
// them, but it panics where one is registered twice. One that is not here is afterwards, as
// nothing: the caller has to end.
func registered(name string) (yes bool) {
	defer func() { yes = recover() != nil }()
	beam.RegisterRunner(name, nil)
	return false
}

// refuse returns an error for what no pass can be made with. Without it Beam would end the
// program, or each pass would fail or wait.
func (e *engine) refuse() error {
	if !registered(*e.runner) || *e.runner == "vet" { // which runs nothing
		var has []string
		for _, n := range names {
			if n[0] != *e.runner && registered(n[0]) {
				has = append(has, n[0])
			}
		}
		return fmt.Errorf("--runner %s is none of this program's, which are %s: Flink and Spark are "+
			"--runner universal with the --endpoint of their job server, Dataflow is an import: see the "+
			"table under \"On other runners\" in README.md", *e.runner, strings.Join(has, ", "))
	}
	if k := slices.IndexFunc(names, func(n [2]string) bool { return n[0] == *e.runner }); k >= 0 {
		*e.runner = names[k][1]
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
