package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Found is what a machine's etcd holds, beside what its clients were promised.
type Found struct {
	Ok           bool       `json:"ok"`
	Acknowledged int        `json:"acknowledged"`
	Open         int        `json:"open"`
	OpenHappened int        `json:"open_happened"`
	Machines     []*FoundAt `json:"machines"`
	Problems     []string   `json:"problems"`

	wrong Problems
}

type FoundAt struct {
	Name string `json:"name"`
	// Why it was not looked at.
	Silent   string `json:"silent,omitempty"`
	Revision int64  `json:"revision"`
	// Changes of the clients' keys in its store, from the first on.
	Changes int `json:"changes"`
	Missing int `json:"missing"`
	// Linearizable reads that clients had answered here.
	Linearizable int    `json:"linearizable"`
	Digest       string `json:"digest"`
}

func runVerify(arguments []string) error {
	var options connect
	var history, prefix string
	var patience time.Duration
	err := parse("verify", arguments, func(set *flag.FlagSet) {
		options.flags(set)
		set.StringVar(&history, "history", "", "file of the history")
		set.StringVar(&prefix, "prefix", "", "of every key")
		set.DurationVar(&patience, "patience", 3*time.Minute, "for all machines")
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
	found := verify(operations, endpoints, prefix, patience)
	return answer(found.Ok, found)
}

// Every acknowledged write is found in each machine's store, with its own revision: also one that was overwritten since, as
// etcd keeps every revision that was not compacted. duet compacts only after a loss that was accepted. A machine that does not answer is
// said; it is held against it only where it has a vote.
func verify(operations []*Operation, endpoints []*Endpoint, prefix string, patience time.Duration) *Found {
	found := &Found{}
	happened := map[string]bool{}
	looked := 0
	for _, look := range lookAtAll(endpoints, prefix, patience) {
		found.Machines = append(found.Machines, look.at)
		if look.at.Silent != "" {
			continue
		}
		if look.err != nil {
			found.wrong.say("%s: %v", look.at.Name, look.err)
			continue
		}
		looked++
		for _, kv := range look.changes {
			happened[string(kv.Value)] = true
		}
		compare(operations, look, found)
	}
	reads := linearizableReads(operations)
	for _, at := range found.Machines {
		at.Linearizable = reads[at.Name]
	}
	for _, o := range operations {
		if o.wrote() {
			found.Acknowledged++
		}
		if o.Outcome == outcomeOpen && o.isWrite() {
			found.Open++
			if happened[o.Value] {
				found.OpenHappened++
			}
		}
		if o.Outcome == outcomeFailed && o.isWrite() && happened[o.Value] {
			found.wrong.say("%s holds %s, a write that was refused", o.Key, o.Value)
		}
	}
	if voters := votersOf(endpoints, patience); looked == 0 || looked < voters {
		found.wrong.say("%d machines could be looked at, and %d have a vote", looked, voters)
	}
	same(found)
	found.Problems = found.wrong.sentences()
	found.Ok = len(found.Problems) == 0
	return found
}

// By machine: those that were answered.
func linearizableReads(operations []*Operation) map[string]int {
	reads := map[string]int{}
	for _, o := range operations {
		if o.Kind == kindRead && o.Outcome == outcomeOk {
			reads[o.Endpoint]++
		}
	}
	return reads
}

// By the word of whoever answers a linearizable read: each voter holds everything, or the site is not whole.
func votersOf(endpoints []*Endpoint, patience time.Duration) int {
	for _, endpoint := range endpoints {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		list, err := pb.NewClusterClient(endpoint.connection).MemberList(ctx, &pb.MemberListRequest{Linearizable: true})
		cancel()
		if err != nil {
			continue
		}
		voters := 0
		for _, member := range list.Members {
			if !member.IsLearner {
				voters++
			}
		}
		return voters
	}
	return 0
}

// Two stores that were read up to the same revision hold the same.
func same(found *Found) {
	var first *FoundAt
	for _, at := range found.Machines {
		switch {
		case at.Silent != "":
		case first == nil:
			first = at
		case at.Revision == first.Revision && at.Digest != first.Digest:
			found.wrong.say("%s and %s hold different data at revision %d", first.Name, at.Name, at.Revision)
		}
	}
}

// What a machine's store was found to hold.
type look struct {
	at      *FoundAt
	changes []*mvccpb.KeyValue
	// Up to this revision only each key's last change is there.
	compacted int64
	err       error
}

// All machines up to one revision, the same for all. It comes from a linearizable read, so that nothing acknowledged before can be
// beyond it.
func lookAtAll(endpoints []*Endpoint, prefix string, patience time.Duration) []*look {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var looks []*look
	upTo := int64(0)
	for _, endpoint := range endpoints {
		made := &look{at: &FoundAt{Name: endpoint.name}}
		looks = append(looks, made)
		if made.err = catchUp(ctx, endpoint, prefix, &upTo, made.at); made.err != nil {
			continue
		}
		made.at.Revision = upTo
		made.changes, made.compacted, made.err = changesOf(ctx, endpoint, prefix, upTo)
		made.at.Changes, made.at.Digest = len(made.changes), digest(made.changes)
	}
	return looks
}

// A linearizable read: after it this member has applied everything that was acknowledged before.
func catchUp(ctx context.Context, e *Endpoint, prefix string, upTo *int64, at *FoundAt) error {
	read, err := e.kv.Range(ctx, &pb.RangeRequest{Key: []byte(prefix), Revision: *upTo})
	if err != nil && strings.Contains(err.Error(), "future revision") {
		return fmt.Errorf("it has not come to revision %d, which another machine has", *upTo)
	}
	if err != nil {
		at.Silent = err.Error()
		return err
	}
	if *upTo == 0 {
		*upTo = read.Header.Revision
	}
	return nil
}

func compare(operations []*Operation, look *look, found *Found) {
	at := look.at
	there := make(map[int64]*mvccpb.KeyValue, len(look.changes))
	// Of each key, its last change that was compacted: what it replaced is gone with good reason.
	last := map[string]int64{}
	for _, kv := range look.changes {
		there[kv.ModRevision] = kv
		if kv.ModRevision <= look.compacted {
			last[string(kv.Key)] = kv.ModRevision
		}
	}
	for _, o := range operations {
		if !o.wrote() {
			continue
		}
		if o.Revision < last[o.Key] {
			continue
		}
		kv := there[o.Revision]
		if kv == nil || string(kv.Key) != o.Key || string(kv.Value) != o.Value {
			at.Missing++
			found.wrong.say("missing at %s: %s = %s, acknowledged by %s as revision %d", at.Name, o.Key, o.Value, o.Endpoint, o.Revision)
		}
	}
}

func digest(changes []*mvccpb.KeyValue) string {
	hash := sha256.New()
	for _, kv := range changes {
		fmt.Fprintf(hash, "%d %q %q\n", kv.ModRevision, kv.Key, kv.Value)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// The first key after all that begin so.
func prefixEnd(prefix string) []byte {
	end := []byte(prefix)
	end[len(end)-1]++
	return end
}
