// Reads etcd data folders with etcd's own packages and prints what it found, one line of JSON for each.
// duet's reader is compared with it; only tests run it, and only on copies (etcd renames a broken .snap).
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"
	"go.etcd.io/etcd/server/v3/etcdserver/api/snap"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v2store"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/confchange"
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"go.uber.org/zap"
)

type point struct {
	Index uint64 `json:"index"`
	Term  uint64 `json:"term"`
}

type configuration struct {
	Voters   []string `json:"voters"`
	Learners []string `json:"learners"`
	Removed  []string `json:"removed"`
	Void     string   `json:"void"` // each change that etcd would not apply, and why
}

type answer struct {
	ClusterID string         `json:"clusterId"`
	MemberID  string         `json:"memberId"`
	Term      uint64         `json:"term"`
	Vote      string         `json:"vote"`
	Commit    uint64         `json:"commit"`
	Snapshot  *point         `json:"snapshot"`
	Entries   int            `json:"entries"`
	Last      point          `json:"last"`
	Whole     *configuration `json:"whole"`
	Committed *configuration `json:"committed"`
	Applied   uint64         `json:"consistentIndex"`
	Error     string         `json:"error,omitempty"`
}

func hex(id uint64) string { return fmt.Sprintf("%x", id) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	for _, folder := range os.Args[1:] {
		must(json.NewEncoder(os.Stdout).Encode(read(folder)))
	}
}

// What etcd refuses, with an error or a panic, is an answer too.
func read(folder string) (found answer) {
	defer func() {
		if why := recover(); why != nil {
			found = answer{Error: fmt.Sprint(why)}
		}
	}()
	lg := zap.NewNop()
	walDir := filepath.Join(folder, "member", "wal")
	snaps, err := wal.ValidSnapshotEntries(lg, walDir)
	must(err)
	snapshot, err := snap.New(lg, filepath.Join(folder, "member", "snap")).LoadNewestAvailable(snaps)
	if err != snap.ErrNoSnapshot {
		must(err)
	}
	var start walpb.Snapshot
	if snapshot != nil {
		start.Index, start.Term = snapshot.Metadata.Index, snapshot.Metadata.Term
		found.Snapshot = &point{start.Index, start.Term}
	}
	found.Last = point{start.Index, start.Term}
	w, err := wal.OpenForRead(lg, walDir, start)
	must(err)
	data, state, entries, err := w.ReadAll()
	must(err)
	var metadata etcdserverpb.Metadata
	must(metadata.Unmarshal(data))
	found.ClusterID, found.MemberID = hex(metadata.ClusterID), hex(metadata.NodeID)
	found.Term, found.Vote, found.Commit = state.Term, hex(state.Vote), state.Commit
	found.Entries = len(entries)
	if n := len(entries); n > 0 {
		found.Last = point{entries[n-1].Index, entries[n-1].Term}
	}
	found.Whole = fold(lg, snapshot, entries)
	committed := entries
	for i, e := range entries {
		if e.Index > state.Commit {
			committed = entries[:i]
			break
		}
	}
	found.Committed = fold(lg, snapshot, committed)
	found.Applied = consistentIndex(lg, filepath.Join(folder, "member", "snap", "db"))
	return found
}

// What etcd does when it applies membership changes: validates each against the store, and voids what is not valid.
func fold(lg *zap.Logger, snapshot *raftpb.Snapshot, entries []raftpb.Entry) *configuration {
	store := v2store.New("/0", "/1")
	progress := tracker.MakeProgressTracker(1, 0)
	if snapshot != nil {
		must(store.Recovery(snapshot.Data))
		changer := confchange.Changer{Tracker: progress, LastIndex: 1}
		config, peers, err := confchange.Restore(changer, snapshot.Metadata.ConfState)
		must(err)
		progress.Config, progress.Progress = config, peers
	}
	cluster := membership.NewCluster(lg, membership.WithMaxLearners(membership.DefaultMaxLearners))
	cluster.SetStore(store)
	result := &configuration{Voters: []string{}, Learners: []string{}, Removed: []string{}}
	for _, e := range entries {
		if e.Type != raftpb.EntryConfChange {
			continue
		}
		var change raftpb.ConfChange
		must(change.Unmarshal(e.Data))
		cluster.UnsafeLoad()
		if err := cluster.ValidateConfigurationChange(change, membership.ApplyV2storeOnly); err != nil {
			result.Void += fmt.Sprintf("entry %d: %v: %v%s; ", e.Index, change.Type, err, idle(progress, change))
			continue
		}
		changer := confchange.Changer{Tracker: progress, LastIndex: 1}
		config, peers, err := changer.Simple(change.AsV2().Changes...)
		must(err)
		progress.Config, progress.Progress = config, peers
		apply(cluster, change)
	}
	members, removed := cluster.MembersFromStore()
	for id := range progress.Voters.IDs() {
		result.Voters = append(result.Voters, hex(id))
	}
	for id := range progress.Learners {
		result.Learners = append(result.Learners, hex(id))
	}
	for id := range removed {
		result.Removed = append(result.Removed, hex(uint64(id)))
	}
	if len(members) != len(result.Voters)+len(result.Learners) {
		panic("store and configuration differ")
	}
	sort.Strings(result.Voters)
	sort.Strings(result.Learners)
	sort.Strings(result.Removed)
	return result
}

// Whether raft's configuration would stay as it is even if etcd did apply the change.
func idle(progress tracker.ProgressTracker, change raftpb.ConfChange) string {
	before := progress.Config.String()
	config, _, err := confchange.Changer{Tracker: progress, LastIndex: 1}.Simple(change.AsV2().Changes...)
	if err != nil || config.String() != before {
		return ""
	}
	return " (idle)"
}

func apply(cluster *membership.RaftCluster, change raftpb.ConfChange) {
	id := types.ID(change.NodeID)
	switch change.Type {
	case raftpb.ConfChangeAddNode, raftpb.ConfChangeAddLearnerNode:
		var context membership.ConfigChangeContext
		must(json.Unmarshal(change.Context, &context))
		if context.IsPromote {
			cluster.PromoteMember(id, membership.ApplyV2storeOnly)
		} else {
			cluster.AddMember(&context.Member, membership.ApplyV2storeOnly)
		}
	case raftpb.ConfChangeRemoveNode:
		cluster.RemoveMember(id, membership.ApplyV2storeOnly)
	case raftpb.ConfChangeUpdateNode:
		var member membership.Member
		must(json.Unmarshal(change.Context, &member))
		cluster.UpdateRaftAttributes(id, member.RaftAttributes, membership.ApplyV2storeOnly)
	}
}

func consistentIndex(lg *zap.Logger, path string) uint64 {
	if _, err := os.Stat(path); err != nil {
		return 0
	}
	b := backend.NewDefaultBackend(lg, path)
	defer b.Close()
	index, _ := schema.ReadConsistentIndex(b.ReadTx())
	return index
}
