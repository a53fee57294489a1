/**
 * Closes the function around it, and continues at the top level of the realm.
 *
 * Holds: the body is compiled as a separate function, never pasted into a wrapper; V8 refuses it.
 *
 * @ends failed SyntaxError
 */
})(); $.log('ESCAPED'); (async () => {
