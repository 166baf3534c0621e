package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// Endpoint is one machine's etcd, by one connection. Nothing is sent again by itself, so that each operation has one outcome.
type Endpoint struct {
	name       string
	connection *grpc.ClientConn
	kv         pb.KVClient
	// When it last answered anything, since the load began.
	answeredUs atomic.Int64
	// When a write last failed here.
	refusedUs atomic.Int64
}

// So long nobody asks a machine again that has refused a write, while another one takes them.
const rest = 50 * time.Millisecond

// Its readers ask each machine all the time. One that has answered none of them for so long may hang, with all its connections open.
const silence = time.Second

// NAME=HOST:PORT
func dial(said string, credentials credentials.TransportCredentials) (*Endpoint, error) {
	name, address, ok := strings.Cut(said, "=")
	if !ok {
		return nil, fmt.Errorf("an endpoint is NAME=HOST:PORT, not %q", said)
	}
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(credentials),
		grpc.WithDisableRetry(),
		grpc.WithStatsHandler(sentHandler{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
		// By default a client waits up to two minutes before it tries a machine again.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
			MinConnectTimeout: 3 * time.Second,
		}),
		// The time-out is also TCP's own for what was sent and never confirmed: a machine without power is noticed by it.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 3 * time.Second}),
	)
	if err != nil {
		return nil, err
	}
	return &Endpoint{name: name, connection: connection, kv: pb.NewKVClient(connection)}, nil
}

// What a client may hope of a machine that it sends a write to.
type hope int

const (
	// Nothing for now: it is only being connected to, or it answers nobody. A machine without power neither takes nor refuses a connection for
	// three seconds, and one that hangs keeps those it has.
	nothing hope = iota
	// A refusal, at once.
	refusal
	// That it takes the write.
	success
)

func (e *Endpoint) hope(nowUs int64) hope {
	switch e.connection.GetState() {
	case connectivity.Idle:
		e.connection.Connect()
		return nothing
	case connectivity.Connecting:
		return nothing
	case connectivity.Ready:
	default:
		return refusal
	}
	if nowUs-e.answeredUs.Load() > silence.Microseconds() {
		return nothing
	}
	// A learner, or an etcd without space, is well and refuses each write: a look now and then is enough.
	if refused := e.refusedUs.Load(); refused != 0 && nowUs-refused < rest.Microseconds() {
		return refusal
	}
	return success
}

func readCredentials(ca, cert, key string) (credentials.TransportCredentials, error) {
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", ca)
	}
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}), nil
}

type sentKey struct{}

// Whether a request left this program: gRPC's error codes do not tell.
func withSent(ctx context.Context) (context.Context, *atomic.Bool) {
	sent := new(atomic.Bool)
	return context.WithValue(ctx, sentKey{}, sent), sent
}

type sentHandler struct{}

func (sentHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (sentHandler) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.OutPayload); !ok {
		return
	}
	if sent, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		sent.Store(true)
	}
}
func (sentHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (sentHandler) HandleConn(context.Context, stats.ConnStats)                       {}

// Refusals that etcd gives before it proposes anything, or with nothing done. Every other error leaves the operation open: also
// "database space exceeded", which the first write beyond the quota gets as well, and is applied all the same.
var refusals = []string{
	"etcdserver: no leader",
	"etcdserver: too many requests",
	"etcdserver: rpc not supported for learner",
	"etcdserver: request is too large",
	"etcdserver: permission denied",
}

type fate struct {
	outcome string
	// etcd, or the machine, said something: the client did not give up by itself.
	answered bool
	// The request never left, so nobody could answer it.
	unsent bool
	said   string
}

func judge(err error, sent bool, gaveUp bool, write bool) fate {
	if err == nil {
		return fate{outcome: outcomeOk, answered: true}
	}
	said := err.Error()
	if s, ok := status.FromError(err); ok {
		said = s.Message()
	}
	gaveUp = gaveUp || errors.Is(err, context.DeadlineExceeded)
	// Without a leader etcd's answer to a write, after its 7 s, is a deadline's, and not one of its own errors.
	byEtcd := strings.HasPrefix(said, "etcdserver:") || status.Code(err) == codes.DeadlineExceeded
	made := fate{outcome: outcomeOpen, answered: sent && !gaveUp && byEtcd, unsent: !sent, said: said}
	if !sent || !write {
		made.outcome = outcomeFailed
	}
	for _, refusal := range refusals {
		if said == refusal {
			made.outcome = outcomeFailed
		}
	}
	return made
}
