package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// A wall is what a solution's program is kept behind.
type wall struct {
	note  string // what it does not keep back
	attr  syscall.SysProcAttr
	root  bool // an empty folder as its root
	tasks bool // a user of its own, so that its threads can be counted
}

const capSysChroot = 18

var lastResort = wall{note: "not isolated: solutions run as you do, and can read your files: this machine " +
	"allows no user namespaces"}

// walls are those to try, from the highest.
func walls() []wall {
	const spaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWNS |
		syscall.CLONE_NEWUTS
	caps := []uintptr{capSysChroot} // until it has its root
	nobody := func(host int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 65534, HostID: host, Size: 1}}
	}
	user := wall{"", syscall.SysProcAttr{Cloneflags: spaces | syscall.CLONE_NEWUSER, AmbientCaps: caps,
		UidMappings: nobody(os.Getuid()), GidMappings: nobody(os.Getgid())}, true, false}
	if os.Getuid() != 0 {
		return []wall{user, lastResort}
	}
	// Of the range that no account is from, so that no two graders share one.
	id := uint32(61184 + os.Getpid()%4096)
	cred := &syscall.Credential{Uid: id, Gid: id}
	return []wall{
		{"", syscall.SysProcAttr{Cloneflags: spaces, Credential: cred, AmbientCaps: caps}, true, true},
		{"not isolated from the network: this machine allows no namespaces (in a container: give it " +
			"CAP_SYS_ADMIN)", syscall.SysProcAttr{Credential: cred, AmbientCaps: caps}, true, true},
		user,
	}
}

// Descriptors of a program before it becomes what it is to be; 3 to 5 stay.
const (
	fdBinary = 6
	fdStatus = 7
	fdRoot   = 8
)

const jailWord = "fwgrade-jail"

// startBehind starts a solution's program, which has descriptors 3 and 4.
func startBehind(cmd *exec.Cmd, w wall, binary string, in, out *os.File) error {
	kind := "child"
	if w.tasks {
		kind += ", counted"
	}
	if !w.root {
		return start(cmd, kind, w.attr, binary, in, out, nil, nil)
	}
	// Gone when the program is in it, so that nobody can write there.
	dir, err := os.MkdirTemp(filepath.Dir(binary), "root")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	root, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := os.Chmod(dir, 0o555); err != nil {
		return err
	}
	return start(cmd, kind+", rooted", w.attr, binary, in, out, nil, root)
}

// startParent starts a check.
func startParent(cmd *exec.Cmd, binary string, in, out, verdict *os.File) error {
	return start(cmd, "parent", syscall.SysProcAttr{}, binary, in, out, verdict, nil)
}

// start runs this program again, which limits itself and then becomes another.
func start(cmd *exec.Cmd, kind string, attr syscall.SysProcAttr, binary string, in, out, verdict,
	root *os.File) error {
	bin, err := os.Open(binary)
	if err != nil {
		return err
	}
	defer bin.Close()
	status, s, err := os.Pipe()
	if err != nil {
		return err
	}
	defer status.Close()
	cmd.Args = append([]string{jailWord, kind}, cmd.Args...)
	cmd.Path = "/proc/self/exe"
	cmd.Err = nil
	cmd.ExtraFiles = []*os.File{in, out, verdict, bin, s, root}
	attr.Setsid = true
	cmd.SysProcAttr = &attr
	cmd.WaitDelay = time.Second
	err = cmd.Start()
	s.Close()
	if err != nil {
		return err
	}
	if text, _ := io.ReadAll(status); len(text) > 0 {
		end(cmd)
		return errors.New(string(text))
	}
	return nil
}

// enterJail does nothing, unless start started this.
func enterJail() {
	if os.Args[0] != jailWord {
		return
	}
	runtime.LockOSThread()
	err := jail(os.Args[1], os.Args[2:])
	fmt.Fprint(os.NewFile(fdStatus, "status"), err)
	os.Exit(1)
}

// The kernel's numbers, which package syscall lacks.
const atEmptyPath = 0x1000

var execveat = map[string]uintptr{"amd64": 322, "arm64": 281, "riscv64": 281, "loong64": 281}

func jail(kind string, args []string) error {
	for _, fd := range []int{fdBinary, fdStatus, fdRoot} {
		syscall.CloseOnExec(fd)
	}
	limits := map[int]uint64{
		syscall.RLIMIT_CORE: 0,
		syscall.RLIMIT_CPU:  60,      // for the case that nobody is left to end it
		syscall.RLIMIT_DATA: 4 << 30, // what is written to, unlike RLIMIT_AS: a Go program reserves more
	}
	if kind != "parent" {
		limits[syscall.RLIMIT_DATA] = 1 << 30
		limits[syscall.RLIMIT_AS] = 4 << 30
		limits[syscall.RLIMIT_FSIZE] = 0
		limits[syscall.RLIMIT_NOFILE] = 32
	}
	if strings.Contains(kind, "counted") {
		const nproc = 6 // RLIMIT_NPROC
		limits[nproc] = 64
	}
	if strings.Contains(kind, "rooted") {
		if err := syscall.Fchdir(fdRoot); err != nil {
			return fmt.Errorf("the empty root: %w", err)
		}
		if err := syscall.Chroot("."); err != nil {
			return fmt.Errorf("the empty root: %w", err)
		}
	}
	for what, n := range limits {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	for _, p := range [][2]uintptr{
		{syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL)},
		{38, 1}, // PR_SET_NO_NEW_PRIVS
		{47, 4}, // PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL: without the capability to leave the root
	} {
		if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, p[0], p[1], 0, 0, 0, 0); e != 0 {
			return fmt.Errorf("prctl %d: %w", p[0], e)
		}
	}
	n, ok := execveat[runtime.GOARCH]
	if !ok {
		return errors.New("execveat has no number here")
	}
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return err
	}
	envv, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return err
	}
	// The path is "": the descriptor itself.
	_, _, e := syscall.RawSyscall6(n, fdBinary, uintptr(unsafe.Pointer(new(byte))),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envv[0])), atEmptyPath, 0)
	return fmt.Errorf("exec: %w", e)
}

// alone puts a command into a group of its own, which ends with its context.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return kill(cmd) }
}

// limitBuild bounds the files and the memory of the compiler that a process will start.
func limitBuild(pid int) {
	for what, n := range map[uintptr]uint64{syscall.RLIMIT_FSIZE: 256 << 20, syscall.RLIMIT_DATA: 3 << 30} {
		syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), what,
			uintptr(unsafe.Pointer(&syscall.Rlimit{Cur: n, Max: n})), 0, 0, 0)
	}
}

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
