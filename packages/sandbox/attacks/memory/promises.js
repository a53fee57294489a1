/**
 * Fills the memory with promises that wait for each other.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
let chain = Promise.resolve()
for (;;) chain = chain.then(() => chain)
