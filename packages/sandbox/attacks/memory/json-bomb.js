/**
 * Parses a text whose value is far larger than the text.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const text = `[${'{"a":[{}]},'.repeat(200_000)}1]`
const kept = []
for (;;) kept.push(JSON.parse(text))
