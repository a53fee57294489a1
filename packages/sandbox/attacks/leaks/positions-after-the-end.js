/**
 * Asks for positions after the end of its run, without waiting for the answer.
 *
 * Holds: answers go to the run that asked, and a run that is over gets none.
 *
 * @ends completed
 * @log asked
 */
const ask = () => $.Strategy.positions().then((found) => { $.log('ESCAPED', found); return ask() }, () => {})
Promise.resolve().then(() => Promise.resolve()).then(ask)
$.log('asked')
