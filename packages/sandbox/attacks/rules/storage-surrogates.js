/**
 * Stores halves of surrogate pairs, which count as one unit and become three bytes or six.
 *
 * Holds: what is counted is the JSON text, in which they are escaped.
 *
 * @ends violation storage_size
 */
await $.Storage.set('\ud800'.repeat(8_000))
