package main

import "sync"

// Bell wakes everybody who waits for it.
type Bell struct {
	mutex   sync.Mutex
	waiting bool
	rung    chan struct{}
}

func newBell() *Bell { return &Bell{rung: make(chan struct{})} }

// Closed by the next ring.
func (b *Bell) wait() <-chan struct{} {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.waiting = true
	return b.rung
}

func (b *Bell) ring() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if !b.waiting {
		return
	}
	close(b.rung)
	b.rung, b.waiting = make(chan struct{}), false
}
