package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

const (
	registers   = 32
	readPause   = 20 * time.Millisecond
	statusEvery = 200 * time.Millisecond
	// A serializable read needs nobody but the member that it asks.
	stalePatience = 2 * time.Second
)

type loadOptions struct {
	connect
	history  string
	prefix   string
	writers  int
	rate     int
	readers  int
	stale    int
	patience time.Duration
	most     int64
}

func (o *loadOptions) flags(set *flag.FlagSet) {
	o.connect.flags(set)
	set.StringVar(&o.history, "history", "", "file of the history")
	set.StringVar(&o.prefix, "prefix", "", "of every key")
	set.IntVar(&o.writers, "writers", 160, "clients that write, each one write at a time")
	set.IntVar(&o.rate, "rate", 0, "writes begun in a second, evenly; 0: as many as etcd takes")
	set.IntVar(&o.readers, "readers", 4, "linearizable readers of each endpoint")
	set.IntVar(&o.stale, "stale", 1, "serializable readers of each endpoint")
	set.DurationVar(&o.patience, "patience", 12*time.Second, "a client gives up then; longer than etcd's own 7 s")
	set.Int64Var(&o.most, "operations", operationsMax, "the load ends after so many")
}

// Load is a crowd of clients: each sends an operation, waits for its end, and sends the next.
type Load struct {
	loadOptions
	endpoints []*Endpoint
	log       *Log
	figures   *Figures
	start     time.Time
	permits   chan struct{}
	stopping  chan struct{}
	bell      *Bell
	landed    chan landing
	stoppedUs atomic.Int64
	ids       atomic.Int64
	// The newest revision of each register that any client knows of: what a swap expects.
	known [registers]atomic.Int64
}

// An operation that has ended, for those who keep the account.
type landing struct {
	o        *Operation
	fate     fate
	endpoint *Endpoint
	// When its endpoint had last answered anything, as it ended.
	heardUs int64
}

func runLoad(arguments []string) error {
	var options loadOptions
	if err := parse("load", arguments, options.flags); err != nil {
		return err
	}
	endpoints, err := options.dialAll()
	if err != nil {
		return err
	}
	log, err := createLog(options.history)
	if err != nil {
		return err
	}
	load := &Load{
		loadOptions: options,
		endpoints:   endpoints,
		log:         log,
		start:       time.Now(),
		permits:     make(chan struct{}, options.writers),
		stopping:    make(chan struct{}),
		bell:        newBell(),
		landed:      make(chan landing, logBacklog),
	}
	load.figures = newFigures(load)
	return load.run(os.Stdin, os.Stdout)
}

func (l *Load) nowUs() int64 { return time.Since(l.start).Microseconds() }

// Until a line comes in, or its end: who started the load is gone then.
func (l *Load) run(orders io.Reader, told io.Writer) error {
	var crowd sync.WaitGroup
	client := 0
	begin := func(work func(client int)) {
		client++
		number := client
		crowd.Go(func() { work(number) })
	}
	for range l.writers {
		begin(l.write)
	}
	for _, endpoint := range l.endpoints {
		for range l.readers {
			begin(func(client int) { l.read(client, endpoint, kindRead, l.patience) })
		}
		for range l.stale {
			begin(func(client int) { l.read(client, endpoint, kindStale, stalePatience) })
		}
	}
	go l.pace()
	go func() {
		_, _ = bufio.NewReader(orders).ReadString('\n')
		l.stoppedUs.Store(l.nowUs())
		close(l.stopping)
	}()
	ended := make(chan struct{})
	go func() { l.account(); close(ended) }()
	go func() { crowd.Wait(); close(l.landed) }()
	ticker := time.NewTicker(statusEvery)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case <-ticker.C:
		case <-ended:
			running = false
		}
		if err := l.figures.tell(told, !running); err != nil {
			return err
		}
	}
	if err := l.log.close(); err != nil {
		return err
	}
	if l.stoppedUs.Load() == 0 {
		return fmt.Errorf("the history is full: they ended after %d operations, and nobody had told them to", l.ids.Load())
	}
	return nil
}

func (l *Load) account() {
	for each := range l.landed {
		l.figures.ends(each)
		l.log.add(each.o)
	}
}

func (l *Load) stopped() bool {
	select {
	case <-l.stopping:
		return true
	default:
		return l.ids.Load() >= l.most
	}
}

func (l *Load) pause(d time.Duration) {
	select {
	case <-l.stopping:
	case <-time.After(d):
	}
}

// Lets a write begin, so often that the rate is kept. What was not taken is not made up for later.
func (l *Load) pace() {
	if l.rate == 0 {
		close(l.permits)
		return
	}
	ticker := time.NewTicker(time.Second / time.Duration(l.rate))
	defer ticker.Stop()
	for {
		select {
		case <-l.stopping:
			return
		case <-ticker.C:
			select {
			case l.permits <- struct{}{}:
			default:
			}
		}
	}
}

func (l *Load) write(client int) {
	for !l.stopped() {
		select {
		case <-l.stopping:
			return
		case <-l.permits:
		}
		endpoint := l.pick(client)
		if endpoint == nil {
			l.rest()
			continue
		}
		o := &Operation{Client: client, Endpoint: endpoint.name}
		register := rand.IntN(registers)
		switch dice := rand.IntN(4); dice {
		case 0:
			o.Kind = kindCreate
		case 1:
			o.Kind, o.Key = kindSwap, l.register(register)
			o.Expected = l.known[register].Load()
		default:
			o.Kind, o.Key = kindPut, l.register(register)
		}
		l.do(o, endpoint, register, l.patience)
		if o.Outcome != outcomeOk {
			endpoint.refusedUs.Store(o.ReturnUs)
			l.rest()
		}
	}
}

// A client that was refused goes to the other machine at once. Where none takes writes it rests: a closed port answers in a tenth of a
// millisecond. Who is served first wakes the others, so that they are back when etcd is.
func (l *Load) rest() {
	woken := l.bell.wait()
	for _, endpoint := range l.endpoints {
		if endpoint.hope(l.nowUs()) == success {
			return
		}
	}
	select {
	case <-l.stopping:
	case <-woken:
	case <-time.After(rest):
	}
}

func (l *Load) read(client int, endpoint *Endpoint, kind string, patience time.Duration) {
	for !l.stopped() {
		register := rand.IntN(registers)
		o := &Operation{Client: client, Endpoint: endpoint.name, Kind: kind, Key: l.register(register)}
		l.do(o, endpoint, register, patience)
		l.pause(readPause)
	}
}

func (l *Load) register(number int) string { return fmt.Sprintf("%sr/%02d", l.prefix, number) }

// Half of the writers prefer each machine. Where that takes none they go to the other, and where none does to one that at least refuses.
// Nil: nothing is to be hoped of either. As for any client that knows two machines, a dead one must not hold up what the other would take.
func (l *Load) pick(client int) *Endpoint {
	now := l.nowUs()
	var best *Endpoint
	most := nothing
	for i := range l.endpoints {
		each := l.endpoints[(client+i)%len(l.endpoints)]
		if hope := each.hope(now); hope > most {
			best, most = each, hope
		}
	}
	return best
}

func (l *Load) do(o *Operation, endpoint *Endpoint, register int, patience time.Duration) {
	o.Id = l.ids.Add(1)
	if o.isWrite() {
		o.Value = fmt.Sprintf("v%d", o.Id)
	}
	if o.Kind == kindCreate {
		o.Key = fmt.Sprintf("%su/%08d", l.prefix, o.Id)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, sent := withSent(ctx)
	o.CallUs = l.nowUs()
	l.figures.begins(o)
	err := send(ctx, endpoint.kv, o)
	o.ReturnUs = l.nowUs()
	fate := judge(err, sent.Load(), ctx.Err() != nil, o.isWrite())
	o.Outcome, o.Error = fate.outcome, fate.said
	if fate.answered {
		endpoint.answeredUs.Store(o.ReturnUs)
	}
	l.figures.lands(o)
	l.landed <- landing{o, fate, endpoint, endpoint.answeredUs.Load()}
	if o.Outcome != outcomeOk || o.Kind == kindStale {
		return
	}
	if o.isWrite() {
		l.bell.ring()
	}
	if o.Kind == kindCreate {
		return
	}
	newest := o.SeenRevision
	if o.wrote() {
		newest = o.Revision
	}
	for now := l.known[register].Load(); newest > now && !l.known[register].CompareAndSwap(now, newest); {
		now = l.known[register].Load()
	}
}

func send(ctx context.Context, kv pb.KVClient, o *Operation) error {
	key, value := []byte(o.Key), []byte(o.Value)
	switch o.Kind {
	case kindPut, kindCreate:
		answer, err := kv.Put(ctx, &pb.PutRequest{Key: key, Value: value})
		if err == nil {
			o.Revision = answer.Header.Revision
		}
		return err
	case kindSwap:
		answer, err := kv.Txn(ctx, swap(key, value, o.Expected))
		if err != nil {
			return err
		}
		o.Revision, o.Swapped = answer.Header.Revision, answer.Succeeded
		if !answer.Succeeded {
			see(o, answer.Responses[0].GetResponseRange())
		}
		return nil
	default:
		answer, err := kv.Range(ctx, &pb.RangeRequest{Key: key, Serializable: o.Kind == kindStale})
		if err != nil {
			return err
		}
		o.Revision = answer.Header.Revision
		see(o, answer)
		return nil
	}
}

func see(o *Operation, answer *pb.RangeResponse) {
	for _, kv := range answer.Kvs {
		o.Seen, o.SeenRevision = string(kv.Value), kv.ModRevision
	}
}

func swap(key, value []byte, expected int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: []*pb.Compare{{
			Result:      pb.Compare_EQUAL,
			Target:      pb.Compare_MOD,
			Key:         key,
			TargetUnion: &pb.Compare_ModRevision{ModRevision: expected},
		}},
		Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: key, Value: value}}}},
		Failure: []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: key}}}},
	}
}
