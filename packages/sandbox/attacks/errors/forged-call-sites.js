/**
 * Calls the function that formats stacks with call sites of its own, to put what it likes where a line number belongs.
 *
 * Holds: a place is two whole numbers, or none.
 *
 * @ends failed Error: x
 */
const error = new Error('x')
void error.stack
const site = { getFileName: () => null, getFunctionName: () => null, isEval: () => true, getLineNumber: () => 4.5, getColumnNumber: () => ({ ESCAPED: 1 }) }
Error.prepareStackTrace(error, [site])
throw error
