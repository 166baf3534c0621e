import type { FileHandle } from "node:fs/promises";
import { fail } from "../base/problem.ts";
import { run } from "../machine/process.ts";

/**
 * etcd's own lock on a segment of its WAL: a write lock of the open file (F_OFD_SETLK) over the whole of it. A running
 * etcd holds it on its newest segment, and one that starts while we hold it ends with "file already locked".
 *
 * Node can't call fcntl, but such a lock belongs to the open file and not to a process: a short program that inherits our
 * descriptor takes it on our behalf, and it stays ours, until this process closes the file or ends in any way. So there is
 * no moment in which we write and don't hold it.
 *
 * `flock` does this from util-linux 2.41 on (without `--fcntl` it takes another kind of lock, which etcd does not see).
 * Python is where Pacemaker's fence agents are, Perl where Debian is. Where there is none of the three we refuse.
 *
 * Not covered: an etcd on a kernel before 3.15, which has no such locks, and network file systems.
 */
export const lock_takers: readonly (readonly [string, ...string[]])[] = [
  ["flock", "--fcntl", "--exclusive", "--nonblock", "--conflict-exit-code", "75", "3"],
  ["python3", "-c", pythonTaker()],
  ["perl", "-e", perlTaker()],
];

const status_held = 75;
const status_taken = 0;

/** Takes the lock for as long as `file` is open. The file must be open for writing. */
export async function lockSegment(file: FileHandle, path: string, takers = lock_takers): Promise<void> {
  const tried: string[] = [];
  for (const argv of takers) {
    const { status, stderr } = await run(argv, { inherit: [file.fd], accept: "any", deadline_ms: 5000 });
    if (status === status_taken) return;
    if (status === status_held)
      fail(
        "DUET-E-WAL-LOCKED",
        path,
        "an etcd runs on this data: it holds the lock of its newest segment",
        "stop etcd first",
      );
    tried.push(`${argv[0]}: status ${status}, ${stderr.trim().split("\n").at(-1) ?? ""}`);
  }
  fail(
    "DUET-E-WAL-LOCK-TOOL",
    path,
    `no program here can take etcd's lock (${tried.join("; ")})`,
    "install util-linux 2.41 or newer, Python 3 or Perl",
  );
}

// 37 is F_OFD_SETLK. On 64-bit Linux struct flock is: two shorts, a gap, two 64-bit numbers, a 32-bit one, a gap.

function pythonTaker(): string {
  return `
import errno, fcntl, struct, sys
try:
    fcntl.fcntl(3, 37, struct.pack("hh4xqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
except OSError as error:
    if error.errno in (errno.EAGAIN, errno.EACCES):
        sys.exit(75)
    raise
`;
}

function perlTaker(): string {
  return `
use Errno qw(EAGAIN EACCES);
open(my $file, "+<&=", 3) or die "descriptor 3: $!";
my $lock = pack("s s x4 q q l x4", 1, 0, 0, 0, 0);
exit 0 if fcntl($file, 37, $lock);
exit 75 if $! == EAGAIN or $! == EACCES;
die "fcntl: $!";
`;
}
