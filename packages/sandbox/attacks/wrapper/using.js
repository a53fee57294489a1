/**
 * Disposes of resources after the end of the body, when nothing waits for them any more.
 *
 * Holds: disposal is part of the body; an error in it is the run's error.
 *
 * @ends failed Error: while disposing
 * @log disposing
 */
using resource = { [Symbol.dispose]() { $.log('disposing'); throw new Error('while disposing') } }
