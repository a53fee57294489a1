/**
 * Rejects, unhandled, with an object whose getters never return: isolated-vm reads them after the timeout is over.
 *
 * Holds: disposing of the isolate ends one such getter; if there are more, the parent kills the executor.
 *
 * @ends violation execution_time
 * @kills
 */
Promise.reject({ get message() { for (;;); }, get stack() { for (;;); }, toString() { for (;;); } })
