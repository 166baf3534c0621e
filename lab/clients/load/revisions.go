package main

import (
	"context"
	"flag"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Revisions is what clients saw of etcd's revisions, and where they are now. It holds also where a loss was accepted: what was lost is
// gone, and no later write gets one of its revisions. What a key shows as its last change is not judged here: that may be a write which the lost
// side had given another revision, or none.
type Revisions struct {
	Ok bool `json:"ok"`
	// The highest that any answer had, stale ones too.
	Seen int64 `json:"seen"`
	// By a linearizable read; 0 where nobody answers one.
	Now      int64    `json:"now"`
	Problems []string `json:"problems"`

	wrong Problems
}

func runRevisions(arguments []string) error {
	var options connect
	var history, prefix string
	var before int64
	var patience time.Duration
	err := parse("revisions", arguments, func(set *flag.FlagSet) {
		options.flags(set)
		set.StringVar(&history, "history", "", "file of the history")
		set.StringVar(&prefix, "prefix", "", "of every key")
		set.Int64Var(&before, "before", 0, "the highest that clients before these had seen")
		set.DurationVar(&patience, "patience", 10*time.Second, "for each machine")
	})
	if err != nil {
		return err
	}
	operations, err := readHistory(history)
	if err != nil {
		return err
	}
	endpoints, err := options.dialAll()
	if err != nil {
		return err
	}
	r := revisions(operations, before)
	r.Now = revisionNow(endpoints, prefix, patience)
	switch {
	case r.Now == 0:
		r.wrong.say("nobody answers a linearizable read")
	case r.Now < r.Seen:
		r.wrong.say("revisions went back: etcd is at %d, and clients saw %d", r.Now, r.Seen)
	}
	r.Problems = r.wrong.sentences()
	r.Ok = len(r.Problems) == 0
	return answer(r.Ok, r)
}

func revisions(operations []*Operation, before int64) *Revisions {
	r := &Revisions{Seen: before}
	realTime(operations, before, &r.wrong)
	for _, o := range operations {
		if o.Outcome == outcomeOk {
			r.Seen = max(r.Seen, o.Revision)
		}
	}
	return r
}

// Of whoever serves.
func revisionNow(endpoints []*Endpoint, prefix string, patience time.Duration) int64 {
	for _, endpoint := range endpoints {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		read, err := endpoint.kv.Range(ctx, &pb.RangeRequest{Key: []byte(prefix)})
		cancel()
		if err == nil {
			return read.Header.Revision
		}
	}
	return 0
}
