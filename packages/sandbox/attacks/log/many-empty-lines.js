/**
 * Logs nothing, a million times.
 *
 * Holds: an empty line is a byte, too.
 *
 * @ends completed
 */
for (let index = 0; index < 100_000; index += 1) $.log()
