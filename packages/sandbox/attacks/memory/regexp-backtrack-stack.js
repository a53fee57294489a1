/**
 * Makes the matcher of regular expressions push states without end.
 *
 * Holds: V8 limits that stack.
 *
 * @ends completed | failed RangeError | failed InternalError | violation memory | violation execution_time
 * @kills
 */
try { /(?:(a)|b|[^c])*c/.test('ab'.repeat(8_000_000)) } catch (error) { throw new RangeError(error.message) }
