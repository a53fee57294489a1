/**
 * Rejects, unhandled, with an object whose getters never return: isolated-vm reads them after the timeout is over.
 *
 * Holds: disposing of the isolate ends one such getter, the parent the executor where there are more.
 *
 * @ends violation execution_time
 * @kills
 */
Promise.reject({ get message() { for (;;); }, get stack() { for (;;); }, toString() { for (;;); } })
