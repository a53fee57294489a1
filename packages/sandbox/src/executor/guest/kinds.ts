/**
 * The kinds of messages from a guest to its executor: a line of the log, a host call, the end of the run, and the end of a
 * run of a series that returned. The last one has only the text of the storage, empty if the run did not set it.
 */
export const guestKinds = { log: 1, call: 2, end: 3, returned: 4 } as const

/** The ways into a context: the start of a run, the answer to a host call, and the next run of a series. */
export const guestEntries = { start: 0, deliver: 1, next: 2 } as const
