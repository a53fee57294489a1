/**
 * Stacks awaits of finished work up to the deadline, each of them a chance to be late.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
const end = Date.now() + 480
const stack = async (level) => (level === 0 ? 0 : await stack(level - 1))
while (Date.now() < end) await stack(500)
for (;;) await stack(5_000)
