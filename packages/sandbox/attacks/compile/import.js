/**
 * Loads a module dynamically.
 *
 * Holds: the text check; without it the isolate has no loader, and rejects.
 *
 * @ends failed Error: Not supported
 */
const fs = await import('node:fs')
$.log('ESCAPED', Object.keys(fs))
