/**
 * Asks for a gigabyte at once.
 *
 * Holds: isolated-vm counts what the buffers of an isolate hold, and refuses.
 *
 * @ends failed RangeError: Array buffer allocation failed | failed RangeError: Invalid typed array length | violation memory
 */
const huge = new Float64Array(2 ** 27)
huge.fill(1)
$.log('ESCAPED', huge.length)
