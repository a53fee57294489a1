/**
 * Doubles a text until it does not fit.
 *
 * Holds: the limit of a text's length, or the isolate's of memory.
 *
 * @ends failed RangeError: Invalid string length | violation memory | violation execution_time
 * @kills
 */
let text = 'x'
for (;;) text = (text + text).toUpperCase()
