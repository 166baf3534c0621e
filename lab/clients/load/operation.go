package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// What a client asked for.
const (
	kindPut    = "put"    // a register gets a new value
	kindCreate = "create" // a key of its own, written once
	kindSwap   = "swap"   // a register gets a new value if it is still as it was last seen
	kindRead   = "read"   // linearizable
	kindStale  = "stale"  // serializable: what this member has, however old
)

// What became of it.
const (
	outcomeOk     = "ok"
	outcomeFailed = "failed" // it surely did not happen
	outcomeOpen   = "open"   // nobody can tell whether it happened, or will
)

// Operation is one line of a history. Times are of one monotonic clock, since the load began.
type Operation struct {
	Id       int64  `json:"id"`
	Client   int    `json:"client"`
	Endpoint string `json:"endpoint"`
	Kind     string `json:"kind"`
	Key      string `json:"key"`
	// What a write writes: no two writes of a history have the same value.
	Value string `json:"value,omitempty"`
	// For a swap: the revision that the key must still have.
	Expected int64  `json:"expected,omitempty"`
	CallUs   int64  `json:"call_us"`
	ReturnUs int64  `json:"return_us"`
	Outcome  string `json:"outcome"`
	// Of the whole store, as the answer tells it; for a write that happened, its own.
	Revision int64 `json:"revision,omitempty"`
	// For a read, or a swap that found another revision: the value there and the revision that wrote it; 0 for no value.
	Seen         string `json:"seen,omitempty"`
	SeenRevision int64  `json:"seen_revision,omitempty"`
	Swapped      bool   `json:"swapped,omitempty"`
	Error        string `json:"error,omitempty"`
}

func (o *Operation) isWrite() bool {
	return o.Kind == kindPut || o.Kind == kindCreate || o.Kind == kindSwap
}

// A write that was acknowledged and took effect: a swap that came too late is only a read.
func (o *Operation) wrote() bool {
	return o.isWrite() && o.Outcome == outcomeOk && (o.Kind != kindSwap || o.Swapped)
}

// The last line of a history. Without it the load died, and operations that were under way are missing: nothing can be judged.
type end struct {
	End        bool  `json:"end"`
	Operations int64 `json:"operations"`
}

// Log writes a history as it happens: an operation when it ends.
type Log struct {
	mutex  sync.Mutex
	file   *os.File
	buffer *bufio.Writer
	count  int64
	err    error
}

func createLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &Log{file: file, buffer: bufio.NewWriterSize(file, 1<<18)}, nil
}

func (l *Log) add(o *Operation) {
	line, err := json.Marshal(o)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err == nil {
		_, err = l.buffer.Write(append(line, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
	l.count++
}

func (l *Log) close() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	line, err := json.Marshal(end{End: true, Operations: l.count})
	if err == nil {
		_, err = l.buffer.Write(append(line, '\n'))
	}
	for _, step := range []func() error{l.buffer.Flush, l.file.Close} {
		if again := step(); err == nil {
			err = again
		}
	}
	if l.err != nil {
		return l.err
	}
	return err
}

const operationsMax = 4_000_000

// Reads a history whole. One that was cut off is refused.
func readHistory(path string) ([]*Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var operations []*Operation
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	for lines.Scan() {
		var line struct {
			Operation
			end
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d of the history is no operation: %w", len(operations)+1, err)
		}
		if line.End {
			if line.Operations != int64(len(operations)) {
				return nil, fmt.Errorf("the history has %d operations and says %d", len(operations), line.Operations)
			}
			return operations, lines.Err()
		}
		if len(operations) == operationsMax {
			return nil, fmt.Errorf("the history has more than %d operations", operationsMax)
		}
		operations = append(operations, &line.Operation)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the history is cut off: its last line is missing")
}
