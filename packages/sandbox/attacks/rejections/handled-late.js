/**
 * Rejects, and handles it in a later answer of the host.
 *
 * Holds: what nobody handled when the microtasks had run dry counts as unhandled.
 *
 * @ends failed Error: x
 */
const rejected = Promise.reject(new Error('x'))
await $.Strategy.stop()
await rejected.catch(() => {})
