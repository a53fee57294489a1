/** The kinds of messages from a guest to its executor: a line of the log, a host call, the end of the run. */
export const guestKinds = { log: 1, call: 2, end: 3 } as const
