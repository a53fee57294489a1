/**
 * Fills the memory with a chain of closures.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
let chain = () => 1
for (;;) { const before = chain; chain = () => before }
