/**
 * Stacks awaits of finished work up to the deadline, each of them a chance to be late.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
const stack = async (level) => (level === 0 ? 0 : await stack(level - 1))
for (let turns = 0; turns < 1e4; turns += 1) await stack(500)
for (;;) await stack(5_000)
