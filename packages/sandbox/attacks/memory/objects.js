/**
 * Fills the memory with small objects.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const kept = []
for (let index = 0; ; index += 1) kept.push({ index, text: `${index}` })
