/**
 * Closes the function by a brace that only the whole text balances.
 *
 * Holds: the body is compiled as a separate function; V8 refuses it.
 *
 * @ends failed SyntaxError
 */
} $.log('ESCAPED') ; { 
