/**
 * Makes calls from `then` of thenables that `await` and `Promise.resolve` read.
 *
 * Holds: each call is counted, wherever it comes from.
 *
 * @ends completed
 * @log true 200 refused
 */
let made = 0
let refused = ''
const thenable = { then(resolve) { made += 1; $.Strategy.stop().then(resolve, () => { refused = 'refused'; resolve() }) } }
const first = await thenable
while (refused === '') await Promise.resolve(thenable)
$.log(first, made - 1, refused)
