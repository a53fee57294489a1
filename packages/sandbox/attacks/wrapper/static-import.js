/**
 * Imports a module statically.
 *
 * Holds: the text check; without it V8 refuses it.
 *
 * @ends failed SyntaxError: Cannot use import statement outside a module
 */
import fs from 'node:fs'
