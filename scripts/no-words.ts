/** For a script that takes no words. False: it was given some, is told how it is called, and begins nothing. */
export function isCalledBare(usage: string): boolean {
  if (process.argv.length <= 2) return true;
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
  return false;
}
