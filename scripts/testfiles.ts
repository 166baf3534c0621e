/** Lab tests start real machines: they need root, and run one at a time. */
export const isLabTest = (path: string): boolean => path.endsWith(".lab.test.ts");

export interface TestPlan {
  readonly ordinary: readonly string[];
  readonly lab: readonly string[];
}

/** The test files of the tree, or those whose path has one of the patterns in it. */
export function planTests(files: readonly string[], patterns: readonly string[]): TestPlan {
  const tests = files.filter(
    (path) =>
      /^(src|lab|sim|scripts)\/.*\.test\.ts$/.test(path) &&
      (patterns.length === 0 || patterns.some((pattern) => path.includes(pattern))),
  );
  return { ordinary: tests.filter((path) => !isLabTest(path)), lab: tests.filter(isLabTest) };
}
