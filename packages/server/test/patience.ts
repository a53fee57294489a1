/**
 * How long tests wait at most. A wait is not a measurement: it ends when what it waits for comes. So a long limit costs
 * a test that passes nothing, while a short one fails on a busy machine. A test names a limit of its own only if that
 * limit is what it is about.
 */

/** For one step: an answer, an event, the end of a run, a change of a page. */
export const patienceMs = 60_000

/** For many steps, or a large one: a document with all its code, the start of a process, the end of a hundred runs. */
export const longPatienceMs = 120_000
