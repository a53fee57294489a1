/**
 * Closes the function by a brace that only the whole text balances.
 *
 * Holds: the body is compiled as a function of its own; V8 refuses it.
 *
 * @ends failed SyntaxError
 */
} $.log('ESCAPED') ; { 
