/**
 * Spells a forbidden property in a template literal.
 *
 * Holds: the text check reads templates, too; without it nothing compiles strings.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {})[`constructor`]('return 1')())
