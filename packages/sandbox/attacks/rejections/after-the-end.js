/**
 * Rejects after the body has returned.
 *
 * Holds: it fails the run, and the isolate is thrown away.
 *
 * @ends failed Error: late
 */
Promise.resolve().then(() => Promise.resolve()).then(() => { throw new Error('late') })
