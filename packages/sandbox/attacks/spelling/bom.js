/**
 * Splits a forbidden property from its object by a byte order mark.
 *
 * Holds: the mark is white space to JavaScript and to the text check; without it nothing compiles strings.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {}).﻿constructor('return 1')())
