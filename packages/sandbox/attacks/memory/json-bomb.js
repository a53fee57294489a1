/**
 * Parses a text that becomes far more than it is.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const text = `[${'{"a":[{}]},'.repeat(200_000)}1]`
const kept = []
for (;;) kept.push(JSON.parse(text))
