/**
 * Spells a forbidden property with a `\x` escape in a string.
 *
 * Holds: the text check decodes escapes; without it nothing compiles strings.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {})['\x63onstructor']('return 1')())
