/**
 * Hides code behind HTML comments, which scripts can have, but modules cannot.
 *
 * Holds: V8 reads them as comments, and nothing else tokenises the text.
 *
 * @ends completed
 * @log seen
 */
<!-- $.log('ESCAPED')
--> $.log('ESCAPED')
$.log('seen')
