/**
 * Loops in a microtask after the body has returned.
 *
 * Holds: the entry lasts until the microtasks have run dry.
 *
 * @ends violation execution_time
 */
Promise.resolve().then(() => Promise.resolve().then(() => { for (;;); }))
