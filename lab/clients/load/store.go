package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Every change of the clients' keys up to a revision, from a copy of the member's whole database, where each revision that was not
// compacted has its entry. A watch from an old revision on gives the same, at ten thousand changes a second at best.
func changesOf(ctx context.Context, e *Endpoint, prefix string, upTo int64) ([]*mvccpb.KeyValue, error) {
	file, err := os.CreateTemp("", "duet-clients-*.db")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	err = copyStore(ctx, e, file)
	if again := file.Close(); err == nil {
		err = again
	}
	if err != nil {
		return nil, fmt.Errorf("its database could not be copied: %w", err)
	}
	store, err := bolt.Open(file.Name(), 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	var changes []*mvccpb.KeyValue
	err = store.View(func(tx *bolt.Tx) error {
		bucket := tx.Bucket([]byte("key"))
		if bucket == nil {
			return errors.New("its database has no keys")
		}
		return bucket.ForEach(func(_, value []byte) error {
			kv := new(mvccpb.KeyValue)
			if err := kv.Unmarshal(value); err != nil {
				return err
			}
			if bytes.HasPrefix(kv.Key, []byte(prefix)) && kv.ModRevision <= upTo {
				changes = append(changes, kv)
			}
			return nil
		})
	})
	return changes, err
}

func copyStore(ctx context.Context, e *Endpoint, into io.Writer) error {
	stream, err := pb.NewMaintenanceClient(e.connection).Snapshot(ctx, &pb.SnapshotRequest{})
	if err != nil {
		return err
	}
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := into.Write(part.Blob); err != nil {
			return err
		}
	}
}
