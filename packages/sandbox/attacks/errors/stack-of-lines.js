/**
 * Rejects, unhandled, with an error whose stack makes a regular expression backtrack in the executor.
 *
 * Holds: what reads the stack there takes time in proportion to its length.
 *
 * @ends failed Error: x
 */
const error = new Error('x')
error.stack = `Error: x\n    at y${"\n".repeat(200_000)}at strategy:1:x`
Promise.reject(error)
