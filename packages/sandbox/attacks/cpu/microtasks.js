/**
 * Loops with microtasks, which never let the event loop continue.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
const again = () => { Promise.resolve().then(again) }
again()
await new Promise(() => {})
