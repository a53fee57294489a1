/**
 * Formats stacks by a function of its own, in order to get call sites with `getThis` and `getFunction`.
 *
 * Holds: `Error` is frozen: only the runtime provides the function that formats stacks.
 *
 * @ends failed TypeError: Cannot assign to read only property 'prepareStackTrace'
 */
Error.prepareStackTrace = (_error, sites) => sites
$.log('ESCAPED', new Error('x').stack[0].getThis())
