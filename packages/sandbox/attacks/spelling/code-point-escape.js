/**
 * Spells a forbidden property with a code point escape of many zeros.
 *
 * Holds: the text check decodes escapes; without it nothing compiles strings.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {}).\u{0000000063}onstructor('return 1')())
