package main

import (
	"flag"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// Verdict is what a history says about etcd.
type Verdict struct {
	Ok         bool     `json:"ok"`
	Operations int      `json:"operations"`
	Keys       int      `json:"keys"`
	Open       int      `json:"open"`
	OpenSeen   int      `json:"open_seen"`
	Problems   []string `json:"problems"`
	// A picture of the first key whose history is not linearizable.
	Picture string `json:"picture,omitempty"`
	// Where it was asked for.
	Flight *Flight `json:"flight,omitempty"`
	TookMs int64   `json:"took_ms"`

	wrong Problems
}

func runCheck(arguments []string) error {
	var history, picture string
	var patience time.Duration
	var wanted int
	err := parse("check", arguments, func(set *flag.FlagSet) {
		set.StringVar(&history, "history", "", "file of the history")
		set.StringVar(&picture, "picture", "", "where porcupine's picture of a violation goes")
		set.DurationVar(&patience, "patience", 2*time.Minute, "for all keys together")
		set.IntVar(&wanted, "flight", 0, "tell for how long so many writes were in flight; 0: don't")
	})
	if err != nil {
		return err
	}
	operations, err := readHistory(history)
	if err != nil {
		return err
	}
	verdict := check(operations, picture, patience)
	if wanted > 0 {
		verdict.Flight = flight(operations, wanted)
	}
	return answer(verdict.Ok, verdict)
}

func check(operations []*Operation, picture string, patience time.Duration) *Verdict {
	start := time.Now()
	v := &Verdict{Operations: len(operations)}
	seenAt := oneDataset(operations, v)
	for _, o := range operations {
		if o.Outcome == outcomeOpen {
			v.Open++
			if _, seen := seenAt[o.Value]; seen {
				v.OpenSeen++
			}
		}
	}
	realTime(operations, 0, &v.wrong)
	linearizable(partition(operations, seenAt), v, picture, start.Add(patience))
	v.Problems = v.wrong.sentences()
	v.Ok = len(v.Problems) == 0
	v.TookMs = time.Since(start).Milliseconds()
	return v
}

type written struct {
	key, value string
}

// Every answer that tells what a revision wrote tells the same, whichever machine gave it, stale reads too; and what was read
// was asked for by somebody. Gives the revision of every value that was seen.
func oneDataset(operations []*Operation, v *Verdict) map[string]int64 {
	byValue := map[string]*Operation{}
	for _, o := range operations {
		if o.isWrite() {
			byValue[o.Value] = o
		}
	}
	at, seenAt := map[int64]written{}, map[string]int64{}
	note := func(o *Operation, revision int64, it written) {
		if before, known := at[revision]; known && before != it {
			v.wrong.say("two datasets: revision %d is %s = %s, and by operation %d at %s it is %s = %s",
				revision, before.key, before.value, o.Id, o.Endpoint, it.key, it.value)
			return
		}
		at[revision] = it
		if before, known := seenAt[it.value]; known && before != revision {
			v.wrong.say("%s was written at revision %d, and by operation %d at %s at revision %d", it.value, before, o.Id, o.Endpoint, revision)
			return
		}
		seenAt[it.value] = revision
	}
	for _, o := range operations {
		if o.wrote() {
			note(o, o.Revision, written{o.Key, o.Value})
		}
		if o.Outcome != outcomeOk || o.SeenRevision == 0 {
			continue
		}
		source := byValue[o.Seen]
		switch {
		case source == nil || source.Key != o.Key || source.CallUs > o.ReturnUs:
			v.wrong.say("operation %d at %s read %s = %s, which nobody had written", o.Id, o.Endpoint, o.Key, o.Seen)
			continue
		case source.Outcome == outcomeFailed:
			v.wrong.say("operation %d at %s read %s = %s, a write that was refused", o.Id, o.Endpoint, o.Key, o.Seen)
			continue
		}
		note(o, o.SeenRevision, written{o.Key, o.Seen})
	}
	return seenAt
}

// Over all keys: what began after an answer was seen is after it. A write gets a higher revision, a read at least the same. `floor` was
// seen before all of them.
func realTime(operations []*Operation, floor int64, wrong *Problems) {
	var byCall []*Operation
	for _, o := range operations {
		if o.Outcome == outcomeOk && o.Kind != kindStale {
			byCall = append(byCall, o)
		}
	}
	byReturn := append([]*Operation{}, byCall...)
	sort.Slice(byCall, func(i, j int) bool { return byCall[i].CallUs < byCall[j].CallUs })
	sort.Slice(byReturn, func(i, j int) bool { return byReturn[i].ReturnUs < byReturn[j].ReturnUs })
	by, returned := int64(0), 0
	for _, o := range byCall {
		for ; returned < len(byReturn) && byReturn[returned].ReturnUs < o.CallUs; returned++ {
			if before := byReturn[returned]; before.Revision > floor {
				floor, by = before.Revision, before.Id
			}
		}
		if o.Revision < floor || (o.wrote() && o.Revision == floor) {
			wrong.say("revisions went back: operation %d (%s at %s) got revision %d; operation %d had ended with %d before it began",
				o.Id, o.Kind, o.Endpoint, o.Revision, by, floor)
		}
	}
}

func linearizable(keys map[string][]porcupine.Operation, v *Verdict, picture string, end time.Time) {
	v.Keys = len(keys)
	names := make([]string, 0, len(keys))
	for name := range keys {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		left := time.Until(end)
		if left <= 0 {
			v.wrong.say("time was over before %s was checked", name)
			return
		}
		result, info := porcupine.CheckOperationsVerbose(model, keys[name], left)
		switch result {
		case porcupine.Unknown:
			v.wrong.say("time was over while %s was checked", name)
		case porcupine.Illegal:
			v.wrong.say("the history of %s is not linearizable", name)
			if picture == "" || v.Picture != "" {
				continue
			}
			if err := porcupine.VisualizePath(model, info, picture); err == nil {
				v.Picture = picture
			}
		}
	}
}
