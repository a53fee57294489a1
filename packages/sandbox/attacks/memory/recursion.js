/**
 * Recurses until the stack is full, with frames of many values.
 *
 * Holds: V8 limits the stack, and an overflow is an ordinary error.
 *
 * @ends failed RangeError: Maximum call stack size exceeded
 */
const dive = (...values) => dive(...values, values.length)
dive()
