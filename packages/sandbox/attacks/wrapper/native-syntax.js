/**
 * Calls V8's own functions with `%`.
 *
 * Holds: V8 runs without that syntax.
 *
 * @ends failed SyntaxError
 */
%DebugPrint($)
