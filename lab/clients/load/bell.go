package main

import (
	"sync"
	"sync/atomic"
)

// Bell wakes everybody who waits for it.
type Bell struct {
	mutex   sync.Mutex
	waiting atomic.Bool
	rung    chan struct{}
}

func newBell() *Bell { return &Bell{rung: make(chan struct{})} }

// Closed by the next ring.
func (b *Bell) wait() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.waiting.Store(true)
	return b.rung
}

func (b *Bell) ring() {
	if !b.waiting.Load() {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if !b.waiting.Swap(false) {
		return
	}
	close(b.rung)
	b.rung = make(chan struct{})
}
