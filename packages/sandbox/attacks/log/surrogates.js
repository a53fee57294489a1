/**
 * Fills the log so that it is cut in the middle of a character.
 *
 * Holds: it is cut between characters.
 *
 * @ends completed
 */
$.log('x'.repeat(8_190) + '😀'.repeat(10))
