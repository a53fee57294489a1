/**
 * Doubles a text until it does not fit.
 *
 * Holds: the limit of V8 on the length of a text, or of the isolate on memory.
 *
 * @ends failed RangeError: Invalid string length | violation memory | violation execution_time
 * @kills
 */
let text = 'x'
for (;;) text = (text + text).toUpperCase()
