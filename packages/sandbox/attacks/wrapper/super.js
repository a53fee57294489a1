/**
 * Uses `super` outside of a method.
 *
 * Holds: V8 refuses it.
 *
 * @ends failed SyntaxError: 'super' keyword unexpected here
 */
super.x
