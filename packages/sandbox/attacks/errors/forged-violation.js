/**
 * Throws an error named like those of the product.
 *
 * Holds: violations are recorded by the parent; a name is just text.
 *
 * @ends failed RunViolation: actions_per_run
 */
throw Object.assign(new Error('actions_per_run'), { name: 'RunViolation', violation: { rule: 'memory', limit: 1, actual: 2 } })
