/**
 * Starts with a hashbang line.
 *
 * Holds: it is one only where a script begins; here V8 refuses it.
 *
 * @ends failed SyntaxError: Invalid or unexpected token
 * @whole
 */
#!/usr/bin/env node
$.log('ESCAPED')
