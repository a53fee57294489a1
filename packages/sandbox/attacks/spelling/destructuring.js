/**
 * Takes a forbidden member by destructuring under another name.
 *
 * Holds: the text check; without it nothing compiles strings.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const { constructor: make } = async () => {}
$.log('ESCAPED', await make('return 1')())
