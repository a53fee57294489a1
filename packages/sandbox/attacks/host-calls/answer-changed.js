/**
 * Changes the answer of a host call, and looks for the change in the next answer.
 *
 * Holds: answers are frozen, and created for each call.
 *
 * @ends completed
 * @log refused 200
 */
const answer = await $.Http.get('http://a.example/')
let end = 'ESCAPED'
try { answer.status = 500 } catch { end = 'refused' }
$.log(end, (await $.Http.get('http://a.example/')).status)
