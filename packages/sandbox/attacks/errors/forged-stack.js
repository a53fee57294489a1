/**
 * Rejects, unhandled, with an error whose stack names a place that is none.
 *
 * Holds: a place is two whole numbers from 1 up, or none.
 *
 * @ends failed Error: x
 */
const error = new Error('x')
error.stack = 'Error: x\n    at strategy:0:99999999999999999999'
Promise.reject(error)
