/**
 * Stores more than the limit, swallows the error, and stores something small after it.
 *
 * Holds: a violation is one whatever the code makes of it.
 *
 * @ends violation storage_size
 */
await $.Storage.set('x'.repeat(24_577)).catch(() => {})
await $.Storage.set('small')
