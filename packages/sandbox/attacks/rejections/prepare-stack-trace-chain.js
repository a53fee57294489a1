/**
 * Makes the formatting of an unhandled error run code: a name that is a getter and rejects again.
 *
 * Holds: all of this happens inside the isolate.
 *
 * @ends failed Odd: x
 */
class Odd extends Error { get name() { Promise.reject(new Odd('again')); return 'Odd' } }
Promise.reject(new Odd('x'))
