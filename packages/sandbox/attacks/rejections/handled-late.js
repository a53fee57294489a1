/**
 * Rejects, and handles the rejection after a later answer of the host.
 *
 * Holds: a rejection that is not handled when there are no more microtasks counts as unhandled.
 *
 * @ends failed Error: x
 */
const rejected = Promise.reject(new Error('x'))
await $.Strategy.stop()
await rejected.catch(() => {})
