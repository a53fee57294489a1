/**
 * Stores a text of hundreds of megabytes.
 *
 * Holds: it is measured in the isolate, and does not cross.
 *
 * @ends violation storage_size | violation memory | violation execution_time | failed RangeError
 * @kills
 */
await $.Storage.set('x'.repeat(2 ** 28))
