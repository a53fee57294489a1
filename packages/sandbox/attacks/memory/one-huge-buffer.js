/**
 * Asks for a gigabyte at once.
 *
 * Holds: isolated-vm counts the memory of the buffers of an isolate, and refuses.
 *
 * @ends failed RangeError: Array buffer allocation failed | failed RangeError: Invalid typed array length | violation memory
 */
const huge = new Float64Array(2 ** 27)
huge.fill(1)
$.log('ESCAPED', huge.length)
