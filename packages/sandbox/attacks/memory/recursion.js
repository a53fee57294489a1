/**
 * Recurses until the stack is full, with frames of many values.
 *
 * Holds: V8's stack is bounded, and an overflow is an error like any other.
 *
 * @ends failed RangeError: Maximum call stack size exceeded
 */
const dive = (...values) => dive(...values, values.length)
dive()
