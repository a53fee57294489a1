/**
 * Rejects while resources are disposed of, so that errors suppress each other.
 *
 * Holds: it is the run's error, described inside the isolate.
 *
 * @ends failed SuppressedError
 */
await using first = { async [Symbol.asyncDispose]() { throw new Error('first') } }
await using second = { async [Symbol.asyncDispose]() { throw new Error('second') } }
