/**
 * Stores halves of surrogate pairs, which count as one unit and become three bytes or six.
 *
 * Holds: the JSON text is counted, in which they are escaped.
 *
 * @ends violation storage_size
 */
await $.Storage.set('\ud800'.repeat(8_000))
