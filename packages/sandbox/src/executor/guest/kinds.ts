/** What a guest may post to its executor: a line of its log, a host call, its end. */
export const guestKinds = { log: 1, call: 2, end: 3 } as const
