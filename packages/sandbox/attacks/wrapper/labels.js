/**
 * Jumps out of the body by labels.
 *
 * Holds: a label ends where its function does; V8 refuses the jump.
 *
 * @ends failed SyntaxError: Undefined label 'out'
 */
out: { (() => { break out })() }
