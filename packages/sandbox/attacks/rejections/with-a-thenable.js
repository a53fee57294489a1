/**
 * Rejects with a promise, a thenable and itself.
 *
 * Holds: what an unhandled rejection carries is only copied as text.
 *
 * @ends failed Error
 */
Promise.reject(Promise.reject(1))
Promise.reject({ then() { $.log('ESCAPED') } })
const { promise, reject } = Promise.withResolvers()
reject(promise)
