/**
 * Loops in a microtask after the body has returned.
 *
 * Holds: the entry lasts until there are no more microtasks.
 *
 * @ends violation execution_time
 */
Promise.resolve().then(() => Promise.resolve().then(() => { for (;;); }))
