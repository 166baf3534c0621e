/** In duet's documents; the executable carries this folder too. */
export const pagesFolder = "docs/errors";

/** Where the page of a code or of a rule is. */
export const pageOf = (code: string): string => `${pagesFolder}/${code}.md`;

/** What a person types to read it: no machine has duet's documents, and each has duet. */
export const pageCommand = (code: string): string => `duet page ${code}`;
