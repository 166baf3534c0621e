package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Every change of the clients' keys up to a revision, from a copy of the member's whole database, where each revision that was not
// compacted has its entry; and the revision up to which it was compacted, 0 for none. Of what was, each key's last change is left. A
// watch from an old revision on gives the same, at ten thousand changes a second at best.
func changesOf(ctx context.Context, e *Endpoint, prefix string, upTo int64) ([]*mvccpb.KeyValue, int64, error) {
	file, err := os.CreateTemp("", "duet-clients-*.db")
	if err != nil {
		return nil, 0, err
	}
	defer os.Remove(file.Name())
	err = copyStore(ctx, e, file)
	if again := file.Close(); err == nil {
		err = again
	}
	if err != nil {
		return nil, 0, fmt.Errorf("its database could not be copied: %w", err)
	}
	store, err := bolt.Open(file.Name(), 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer store.Close()
	var changes []*mvccpb.KeyValue
	var compacted int64
	err = store.View(func(tx *bolt.Tx) error {
		bucket := tx.Bucket([]byte("key"))
		if bucket == nil {
			return errors.New("its database has no keys")
		}
		if meta := tx.Bucket([]byte("meta")); meta != nil {
			// One that is begun counts: nobody can read what is before it any more.
			if revision := meta.Get([]byte("scheduledCompactRev")); len(revision) >= 8 {
				compacted = int64(binary.BigEndian.Uint64(revision))
			}
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
	return leftBy(compacted, changes), compacted, err
}

// As a compaction leaves it when it has come to its end, however far this one is. The changes come in the order of their revisions.
func leftBy(compacted int64, changes []*mvccpb.KeyValue) []*mvccpb.KeyValue {
	last := map[string]int64{}
	for _, kv := range changes {
		if kv.ModRevision <= compacted {
			last[string(kv.Key)] = kv.ModRevision
		}
	}
	var left []*mvccpb.KeyValue
	for _, kv := range changes {
		if kv.ModRevision > compacted || last[string(kv.Key)] == kv.ModRevision {
			left = append(left, kv)
		}
	}
	return left
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
