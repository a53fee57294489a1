/**
 * Formats stacks by a function of its own, to be handed call sites with `getThis` and `getFunction`.
 *
 * Holds: `Error` is frozen: the function that formats stacks is the runtime's.
 *
 * @ends failed TypeError: Cannot assign to read only property 'prepareStackTrace'
 */
Error.prepareStackTrace = (_error, sites) => sites
$.log('ESCAPED', new Error('x').stack[0].getThis())
