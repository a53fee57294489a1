/**
 * Hides code behind HTML comments, which scripts may have and modules not.
 *
 * Holds: they are comments to V8 as to any reader; nothing tokenises the text beside V8.
 *
 * @ends completed
 * @log seen
 */
<!-- $.log('ESCAPED')
--> $.log('ESCAPED')
$.log('seen')
