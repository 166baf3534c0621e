/** Where the page of a code or of a rule is, in duet's documents. */
export const pageOf = (code: string): string => `docs/errors/${code}.md`;
