/**
 * Closes the function that holds it, and goes on at the top level of the realm.
 *
 * Holds: the body is compiled as a function of its own, never pasted into a wrapper; V8 refuses it.
 *
 * @ends failed SyntaxError
 */
})(); $.log('ESCAPED'); (async () => {
