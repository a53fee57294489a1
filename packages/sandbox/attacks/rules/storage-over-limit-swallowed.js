/**
 * Stores more than the limit, swallows the error, and stores something small after it.
 *
 * Holds: a violation counts, whatever the code does with its error.
 *
 * @ends violation storage_size
 */
await $.Storage.set('x'.repeat(24_577)).catch(() => {})
await $.Storage.set('small')
