/**
 * Keeps errors, each of which keeps the frames of its creation.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const kept = []
const deep = (level) => (level === 0 ? kept.push(new Error('x'.repeat(1_000))) : deep(level - 1))
for (;;) deep(50)
