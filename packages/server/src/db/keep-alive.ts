/**
 * How a connection to the database notices that the machine at the other end died without a word: after ten seconds of
 * silence, the system asks it every second, and gives up after ten questions. With no delay, Linux asks after two hours.
 * The system asks only while nothing is on its way: a statement without an answer waits until TCP gives up.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const
