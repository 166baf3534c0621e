/**
 * Requirements of the DMTF protocol validator that the lab's BMC or PDU fails, each with the reason why it may. The clients' test
 * fails on a failure that is not listed, and on an entry that no longer fails.
 */
export const validatorExceptions: Readonly<Record<string, string>> = {};
