/**
 * Throws `null`.
 *
 * Holds: anything that can be thrown is described.
 *
 * @ends failed Error: null was thrown
 */
throw null
