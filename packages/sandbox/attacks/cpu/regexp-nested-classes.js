/**
 * Compiles an expression of classes nested ten thousand deep, which V8 takes more than a second for.
 *
 * Holds: if V8 does not interrupt this, the parent kills the executor.
 *
 * @ends violation execution_time | failed SyntaxError
 * @kills
 */
new RegExp(`[${'\\p{L}--['.repeat(12_000)}${']'.repeat(12_001)}`, 'v').test('a')
for (;;);
