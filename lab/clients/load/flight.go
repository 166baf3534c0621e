package main

import (
	"cmp"
	"slices"
	"time"
)

// Without an acknowledged write for so long, nobody serves: clients that are refused rest then, and no writes are owed.
const outage = 500 * time.Millisecond

// Flight is how many writes were under way while etcd served. What serves is told by etcd's answers, not by what clients believe: the time
// from one acknowledged write to the next counts, unless it is an outage.
type Flight struct {
	// So many were to be in flight.
	Wanted int `json:"wanted"`
	// For so long etcd served; and for how much of it so many writes were in flight.
	OwedUs int64 `json:"owed_us"`
	HeldUs int64 `json:"held_us"`
	// The least that were in flight while etcd served, if only for a microsecond; -1 where it never did.
	Fewest int `json:"fewest"`
}

type turn struct {
	atUs int64
	// One write more, or one less.
	by           int
	acknowledged bool
}

// From the moment when so many were in flight for the first time until the last write was begun: before that the clients come, after it
// they go.
func flight(operations []*Operation, wanted int) *Flight {
	turns := turnsOf(operations)
	f := &Flight{Wanted: wanted, Fewest: -1}
	now, lastUs, fullUs, begun := 0, int64(0), int64(0), false
	// At the last acknowledged write: when that was, and fullUs; and the least in flight since.
	var ackUs, fullAtAck int64
	var least int
	for _, t := range turns {
		if now >= wanted {
			fullUs += t.atUs - lastUs
		}
		lastUs = t.atUs
		now += t.by
		least = min(least, now)
		if took := t.atUs - ackUs; begun && t.acknowledged && took <= outage.Microseconds() {
			f.OwedUs += took
			f.HeldUs += fullUs - fullAtAck
			if f.Fewest < 0 || least < f.Fewest {
				f.Fewest = least
			}
		}
		if t.acknowledged || (!begun && now >= wanted) {
			ackUs, fullAtAck, least = t.atUs, fullUs, now
		}
		begun = begun || now >= wanted
	}
	return f
}

// In their order; at the same moment a write ends before another begins.
func turnsOf(operations []*Operation) []turn {
	var turns []turn
	last := int64(-1)
	for _, o := range operations {
		if !o.isWrite() {
			continue
		}
		turns = append(turns, turn{o.CallUs, 1, false}, turn{o.ReturnUs, -1, o.Outcome == outcomeOk})
		last = max(last, o.CallUs)
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.atUs, b.atUs), a.by-b.by) })
	after, _ := slices.BinarySearchFunc(turns, last+1, func(t turn, us int64) int { return cmp.Compare(t.atUs, us) })
	return turns[:after]
}
