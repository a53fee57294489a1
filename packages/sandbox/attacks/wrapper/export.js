/**
 * Exports something, to be compiled as a module.
 *
 * Holds: the text check; without it V8 refuses it.
 *
 * @ends failed SyntaxError
 */
export default 1
