/**
 * Starts new lines by U+2028 and U+2029 inside comments and strings.
 *
 * Holds: V8 alone decides where a line ends; the text check counts all of them as text.
 *
 * @ends completed
 * @log a b true
 */
// comment $.log('a', /* comment   */ 'b', ' '.length === 1)
