package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// One key as etcd promises it: a register that also tells by which revision it was written, and revisions only grow.
type register struct {
	value    string
	revision int64
}

type registerOutput struct {
	// Of the write, as its answer or a later read told it.
	revision int64
	seen     register
	swapped  bool
}

var model = porcupine.Model{
	Init: func() any { return register{} },
	Step: func(state, input, output any) (bool, any) {
		now, ok := state.(register)
		o, isOperation := input.(*Operation)
		out, isOutput := output.(registerOutput)
		if !ok || !isOperation || !isOutput {
			return false, state
		}
		next := register{o.Value, out.revision}
		switch {
		case !o.isWrite() || (o.Kind == kindSwap && !out.swapped):
			differs := o.Kind != kindSwap || now.revision != o.Expected
			return differs && now == out.seen, state
		case o.Kind == kindSwap:
			return now.revision == o.Expected && out.revision > now.revision, next
		default:
			return out.revision > now.revision, next
		}
	},
	DescribeOperation: func(input, output any) string {
		o, isOperation := input.(*Operation)
		out, isOutput := output.(registerOutput)
		if !isOperation || !isOutput {
			return ""
		}
		text := fmt.Sprintf("%s %s at %s", o.Kind, o.Value, o.Endpoint)
		if o.Kind == kindSwap {
			text += fmt.Sprintf(", expects revision %d", o.Expected)
		}
		if !o.isWrite() || (o.Kind == kindSwap && !out.swapped) {
			return text + fmt.Sprintf(": saw %s of revision %d", out.seen.value, out.seen.revision)
		}
		if o.Outcome == outcomeOpen {
			return text + fmt.Sprintf(": no answer; seen later as revision %d", out.revision)
		}
		return text + fmt.Sprintf(": revision %d", out.revision)
	},
	DescribeState: func(state any) string {
		now, _ := state.(register)
		return fmt.Sprintf("%s of revision %d", now.value, now.revision)
	},
}

// What porcupine looks at, by key. An open write that was read later has happened, at the revision that the read tells, and may
// have happened at any time after its call. An open write that nobody ever saw can be put after everything else, where it
// changes nothing: leaving it out is exact, and without that a search over hundreds of them would not end.
func partition(operations []*Operation, seenAt map[string]int64) map[string][]porcupine.Operation {
	keys := map[string][]porcupine.Operation{}
	for _, o := range operations {
		if o.Kind == kindStale || o.Outcome == outcomeFailed {
			continue
		}
		out := registerOutput{revision: o.Revision, seen: register{o.Seen, o.SeenRevision}, swapped: o.Swapped}
		back := o.ReturnUs
		if o.Outcome == outcomeOpen {
			at, seen := seenAt[o.Value]
			if !o.isWrite() || !seen {
				continue
			}
			out, back = registerOutput{revision: at, swapped: true}, math.MaxInt64
		}
		keys[o.Key] = append(keys[o.Key], porcupine.Operation{
			ClientId: o.Client, Input: o, Call: o.CallUs, Output: out, Return: back,
		})
	}
	return keys
}
