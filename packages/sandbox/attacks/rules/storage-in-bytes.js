/**
 * Stores a text that has few characters and many bytes.
 *
 * Holds: bytes of UTF-8 are counted, in the isolate and again in the parent.
 *
 * @ends violation storage_size
 */
await $.Storage.set('€'.repeat(8_192))
