package main

import (
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Figures is what the clients see, kept up while they run, in a bounded space.
type Figures struct {
	mutex  sync.Mutex
	load   *Load
	status Status
	reads  map[string]*Reads
	// By writer: its write that is under way.
	flying    []atomic.Pointer[Operation]
	lastAckUs int64
}

// Status is told a few times a second, and once more at the end. Times are since the load began.
type Status struct {
	NowUs        int64 `json:"now_us"`
	BegunMs      int64 `json:"begun_ms"` // of the wall clock, to lay this beside the machines' recordings
	Ended        bool  `json:"ended"`
	Operations   int64 `json:"operations"`
	InFlight     int   `json:"in_flight"`
	Acknowledged int64 `json:"acknowledged"`
	// Writes whose client was told of a failure, or refused a connection; and those that stay open without a word.
	Failed   int64 `json:"failed"`
	Open     int64 `json:"open"`
	FirstUs  int64 `json:"first_us"`
	LastUs   int64 `json:"last_us"`
	GapUs    int64 `json:"gap_us"`
	GapEndUs int64 `json:"gap_end_us"`
	// The longest that a write took until its answer, whatever it was; and of one that has none yet, or whose connection broke: how long its
	// member answered others meanwhile.
	LongestUs int64 `json:"longest_us"`
	// Writes whose client gave up at a member that answered others meanwhile.
	Hung      int64             `json:"hung"`
	Endpoints map[string]*Reads `json:"endpoints"`
	// What clients were told, and how often.
	Errors map[string]int64 `json:"errors"`
}

// Reads is what one endpoint answered.
type Reads struct {
	// Writes that its etcd ended with an error: no connection that broke, and no client that gave up. And the longest until one.
	Errors         int64 `json:"errors"`
	LongestErrorUs int64 `json:"longest_error_us"`

	Linearizable  int64 `json:"linearizable"`
	Serializable  int64 `json:"serializable"`
	Acknowledged  int64 `json:"acknowledged"`
	LastSerialUs  int64 `json:"last_serializable_us"`
	SerialGapUs   int64 `json:"serializable_gap_us"`
	LastLinearUs  int64 `json:"last_linearizable_us"`
	LastWrittenUs int64 `json:"last_acknowledged_us"`
}

// How many different errors are told apart.
const errorsMax = 40

func newFigures(load *Load) *Figures {
	f := &Figures{load: load, reads: map[string]*Reads{}, flying: make([]atomic.Pointer[Operation], load.writers+1), lastAckUs: -1}
	f.status = Status{BegunMs: load.start.UnixMilli(), Endpoints: f.reads, Errors: map[string]int64{}, FirstUs: -1}
	for _, endpoint := range load.endpoints {
		f.reads[endpoint.name] = &Reads{}
	}
	return f
}

// No writer waits for another one here, or for who tells: between two writes there would be fewer in flight.
func (f *Figures) begins(o *Operation) {
	if o.isWrite() {
		f.flying[o.Client].Store(o)
	}
}

func (f *Figures) lands(o *Operation) {
	if o.isWrite() {
		f.flying[o.Client].Store(nil)
	}
}

// What is under way now.
func (f *Figures) underWay() []*Operation {
	var all []*Operation
	for i := range f.flying {
		if o := f.flying[i].Load(); o != nil {
			all = append(all, o)
		}
	}
	return all
}

func (f *Figures) ends(each landing) {
	o, fate := each.o, each.fate
	f.mutex.Lock()
	defer f.mutex.Unlock()
	s := &f.status
	s.Operations++
	if fate.said != "" {
		if _, known := s.Errors[fate.said]; known || len(s.Errors) < errorsMax {
			s.Errors[fate.said]++
		}
	}
	if o.isWrite() {
		f.writeEnds(o, fate, each.heardUs)
		return
	}
	reads := f.reads[o.Endpoint]
	if o.Outcome != outcomeOk {
		return
	}
	if o.Kind == kindRead {
		reads.Linearizable++
		reads.LastLinearUs = o.ReturnUs
		return
	}
	if reads.Serializable > 0 {
		reads.SerialGapUs = max(reads.SerialGapUs, o.ReturnUs-reads.LastSerialUs)
	}
	reads.Serializable++
	reads.LastSerialUs = o.ReturnUs
}

func (f *Figures) writeEnds(o *Operation, fate fate, heardUs int64) {
	s := &f.status
	took := o.ReturnUs - o.CallUs
	switch {
	case o.Outcome == outcomeOk:
		s.Acknowledged++
		f.reads[o.Endpoint].Acknowledged++
		f.reads[o.Endpoint].LastWrittenUs = o.ReturnUs
		f.acknowledged(o.ReturnUs)
	case o.Outcome == outcomeFailed || fate.answered:
		s.Failed++
	default:
		s.Open++
	}
	if o.Outcome != outcomeOk && fate.answered {
		reads := f.reads[o.Endpoint]
		reads.Errors++
		reads.LongestErrorUs = max(reads.LongestErrorUs, took)
	}
	if o.Outcome == outcomeOpen && !fate.answered {
		// Nobody answers at a machine that died, and its connections may break seconds later. One that answers others must answer this one
		// too: so long as it did, the write took at least.
		if took >= f.load.patience.Microseconds() && lived(heardUs, o) {
			s.Hung++
		} else {
			took = min(took, heardUs-o.CallUs)
		}
		s.LongestUs = max(s.LongestUs, took)
		return
	}
	if !fate.unsent {
		s.LongestUs = max(s.LongestUs, took)
	}
}

// When etcd gives a write up by itself, with its 5 s and two elections, and a second for the way.
const owed = 8 * time.Second

// The endpoint still answered somebody when it owed this one its answer. One that was switched off before that owes none.
func lived(heardUs int64, o *Operation) bool {
	return heardUs > o.CallUs+owed.Microseconds()
}

func (f *Figures) acknowledged(atUs int64) {
	if f.lastAckUs < 0 {
		f.status.FirstUs = atUs
	} else if gap := atUs - f.lastAckUs; gap > f.status.GapUs {
		f.status.GapUs, f.status.GapEndUs = gap, atUs
	}
	f.lastAckUs = max(f.lastAckUs, atUs)
}

// The state now; a write that is not over yet counts as far as it went.
func (f *Figures) tell(told io.Writer, ended bool) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	s, flying := f.status, f.underWay()
	s.NowUs, s.Ended, s.InFlight, s.LastUs = f.load.nowUs(), ended, len(flying), f.lastAckUs
	// A gap that no write ends counts up to now, or to the moment when the clients were stopped.
	until := s.NowUs
	if stopped := f.load.stoppedUs.Load(); stopped > 0 {
		until = stopped
	}
	if gap := until - f.lastAckUs; f.lastAckUs >= 0 && gap > s.GapUs {
		s.GapUs, s.GapEndUs = gap, until
	}
	for _, o := range flying {
		for _, endpoint := range f.load.endpoints {
			if endpoint.name == o.Endpoint {
				s.LongestUs = max(s.LongestUs, endpoint.answeredUs.Load()-o.CallUs)
			}
		}
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = told.Write(append(line, '\n'))
	return err
}
