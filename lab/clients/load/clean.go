package main

import (
	"context"
	"flag"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Takes the clients' keys and their history out of etcd again: a lab that many loads ran in would reach its quota.
func runClean(arguments []string) error {
	var options connect
	var prefix string
	err := parse("clean", arguments, func(set *flag.FlagSet) {
		options.flags(set)
		set.StringVar(&prefix, "prefix", "", "of every key")
	})
	if err != nil {
		return err
	}
	endpoints, err := options.dialAll()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	// Whoever serves does it for all.
	for _, endpoint := range endpoints {
		if err = forget(ctx, endpoint, prefix); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for _, endpoint := range endpoints {
		// A machine that is away gets a new copy when it returns.
		_, _ = pb.NewMaintenanceClient(endpoint.connection).Defragment(ctx, &pb.DefragmentRequest{})
	}
	return nil
}

func forget(ctx context.Context, endpoint *Endpoint, prefix string) error {
	removed, err := endpoint.kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(prefix), RangeEnd: prefixEnd(prefix)})
	if err != nil {
		return err
	}
	_, err = endpoint.kv.Compact(ctx, &pb.CompactionRequest{Revision: removed.Header.Revision, Physical: true})
	return err
}
