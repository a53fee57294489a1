/**
 * Rejects with values that cannot be cloned: functions, symbols, weak maps, generators.
 *
 * Holds: isolated-vm copies only the texts of errors.
 *
 * @ends failed Error
 */
for (const reason of [Symbol('s'), () => {}, new WeakMap(), (function* () {})(), new Uint8Array(10).buffer, null, undefined]) Promise.reject(reason)
