// crun for a machine that is a container itself: its root may lack some of the kernel's capabilities, and a process that asks
// for one of those, or for protection from the kernel's out-of-memory killer, would not start. So nothing is asked for that the
// machine does not have. On metal CRI-O calls crun itself.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const crun = "/usr/bin/crun"

func main() {
	if path := description(os.Args[1:]); path != "" {
		if err := lower(path); err != nil {
			fmt.Fprintln(os.Stderr, "the lab's crun:", err)
			os.Exit(1)
		}
	}
	err := syscall.Exec(crun, append([]string{crun}, os.Args[1:]...), os.Environ())
	fmt.Fprintln(os.Stderr, "the lab's crun:", err)
	os.Exit(1)
}

// description is the file that says what is to run: a container's, or that of a further process in one.
func description(args []string) string {
	for at, arg := range args {
		name, value, whole := strings.Cut(arg, "=")
		if !whole && at+1 < len(args) {
			value = args[at+1]
		}
		switch name {
		case "--bundle", "-b":
			return filepath.Join(value, "config.json")
		case "--process", "-p":
			return value
		}
	}
	return ""
}

func lower(path string) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := lowered(before, ours())
	if err != nil || after == nil {
		return err
	}
	beside := path + ".lab"
	if err := os.WriteFile(beside, after, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, path)
}

// rights are what this machine's root may do.
type rights struct {
	capabilities uint64
	protect      bool
}

const sysResource = 24

func ours() rights {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if hex, found := strings.CutPrefix(line, "CapBnd:"); found {
			mask, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			if err == nil {
				return rights{mask, mask&(1<<sysResource) != 0}
			}
		}
	}
	return rights{}
}

// lowered is the description without what can't be had; nil where it is well as it is.
func lowered(text []byte, have rights) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	process := whole
	if inner, found := whole["process"].(map[string]any); found {
		process = inner
	}
	changed := false
	if score, found := process["oomScoreAdj"].(json.Number); found && !have.protect && strings.HasPrefix(score.String(), "-") {
		process["oomScoreAdj"] = 0
		changed = true
	}
	sets, _ := process["capabilities"].(map[string]any)
	for kind, set := range sets {
		list, _ := set.([]any)
		kept := []any{}
		for _, each := range list {
			if name, isText := each.(string); isText && !have.may(name) {
				changed = true
				continue
			}
			kept = append(kept, each)
		}
		sets[kind] = kept
	}
	if !changed {
		return nil, nil
	}
	return json.Marshal(whole)
}

func (have rights) may(name string) bool {
	for bit, each := range names {
		if "CAP_"+each == name {
			return have.capabilities&(1<<bit) != 0
		}
	}
	return true
}

// In the kernel's order: see capabilities(7).
var names = strings.Fields(`
CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST
NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE
SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM
BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE`)
