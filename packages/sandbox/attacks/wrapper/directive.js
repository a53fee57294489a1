/**
 * Asks for another mode with a directive.
 *
 * Holds: the body is strict already, and nothing turns that off.
 *
 * @ends completed
 * @log undefined
 * @whole
 */
'use sloppy'; 'use asm'
$.log((function () { return typeof this })())
