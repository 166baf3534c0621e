/** Lab tests start real machines: they need root, and few run at a time. */
export const isLabTest = (path: string): boolean => path.endsWith(".lab.test.ts");

/** Those of them that need a lab with Kubernetes: they come last, when it is built. */
const isKubernetesTest = (path: string): boolean => /^lab\/kubernetes[^/]*\.lab\.test\.ts$/.test(path);

export interface TestPlan {
  readonly ordinary: readonly string[];
  readonly lab: readonly string[];
  readonly kubernetes: readonly string[];
}

/** The test files of the tree, or those whose path has one of the patterns in it. */
export function planTests(files: readonly string[], patterns: readonly string[]): TestPlan {
  const tests = files.filter(
    (path) =>
      /^(src|lab|sim|scripts)\/.*\.test\.ts$/.test(path) &&
      (patterns.length === 0 || patterns.some((pattern) => path.includes(pattern))),
  );
  return {
    ordinary: tests.filter((path) => !isLabTest(path)),
    lab: tests.filter((path) => isLabTest(path) && !isKubernetesTest(path)),
    kubernetes: tests.filter(isKubernetesTest),
  };
}
