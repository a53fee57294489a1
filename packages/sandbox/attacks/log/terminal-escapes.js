/**
 * Logs texts that would move the cursor, clear the screen or forge lines of another log.
 *
 * Holds: the log is one text, which the service never interprets; code that shows it must escape it.
 *
 * @ends completed
 */
$.log('\u001b[2J\u001b[H\u001b]0;title\u0007\r\n{"level":60,"msg":"forged"}\u2028\u0000\ud800')
