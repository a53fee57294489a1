/**
 * Rejects with a promise, a thenable and itself.
 *
 * Holds: the value of an unhandled rejection is copied only as text.
 *
 * @ends failed Error
 */
Promise.reject(Promise.reject(1))
Promise.reject({ then() { $.log('ESCAPED') } })
const { promise, reject } = Promise.withResolvers()
reject(promise)
