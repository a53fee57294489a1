/**
 * Takes values from an async generator that never ends.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
async function* endless() { for (;;) yield 1 }
for await (const _value of endless());
