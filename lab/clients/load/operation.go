package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
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

// Log writes a history as it happens: an operation when it ends. No client waits for the disk before it sends its next.
type Log struct {
	file    *os.File
	buffer  *bufio.Writer
	ended   chan *Operation
	written chan struct{}
	count   int64
	err     error
}

// A disk may stall for as long as this many take; only then clients wait for it.
const logBacklog = 1 << 16

func createLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	log := &Log{
		file:    file,
		buffer:  bufio.NewWriterSize(file, 1<<18),
		ended:   make(chan *Operation, logBacklog),
		written: make(chan struct{}),
	}
	go log.write()
	return log, nil
}

func (l *Log) write() {
	defer close(l.written)
	for o := range l.ended {
		l.line(o)
		l.count++
	}
}

func (l *Log) line(value any) {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = l.buffer.Write(append(line, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

// Nobody changes it any more.
func (l *Log) add(o *Operation) { l.ended <- o }

// When the last one was added.
func (l *Log) close() error {
	close(l.ended)
	<-l.written
	l.line(end{End: true, Operations: l.count})
	for _, step := range []func() error{l.buffer.Flush, l.file.Close} {
		if err := step(); l.err == nil {
			l.err = err
		}
	}
	return l.err
}

// Some 4 GB for the judge.
const operationsMax = 8_000_000

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
