/**
 * Spreads an array of millions into the arguments of a call.
 *
 * Holds: V8's stack is bounded, and an overflow is an error like any other.
 *
 * @ends failed RangeError: Maximum call stack size exceeded | violation memory
 */
Math.max(...new Uint8Array(8_000_000))
