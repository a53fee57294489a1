/**
 * Spreads an array of millions into the arguments of a call.
 *
 * Holds: V8 limits the stack, and an overflow is an ordinary error.
 *
 * @ends failed RangeError: Maximum call stack size exceeded | violation memory
 */
Math.max(...new Uint8Array(8_000_000))
