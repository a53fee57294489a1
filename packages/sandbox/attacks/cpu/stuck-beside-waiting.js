/**
 * Waits for the host in one branch, and is stuck in a builtin in the other.
 *
 * Holds: the parent's clock runs whatever a run waits for.
 *
 * @ends violation execution_time
 * @kills
 */
$.Strategy.stop(true).then(() => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1))
await $.Http.get('http://slow.example/')
await new Promise(() => {})
