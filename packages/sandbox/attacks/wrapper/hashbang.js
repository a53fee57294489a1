/**
 * Starts with a hashbang line.
 *
 * Holds: a hashbang is allowed only at the start of a script; here V8 refuses it.
 *
 * @ends failed SyntaxError: Invalid or unexpected token
 * @whole
 */
#!/usr/bin/env node
$.log('ESCAPED')
