/**
 * Makes the longest request that the limits allow, with every character spelled as an escape on its way.
 *
 * Holds: the limits and the longest frame fit each other.
 *
 * @ends completed
 * @log 200
 */
const escape6 = '\u0001'
await $.Storage.set(escape6.repeat(4_000))
const { status } = await $.Http.post(`http://a.example/${escape6.repeat(8_000)}`, escape6.repeat(262_144), { a: escape6.repeat(16_000) })
$.log(status)
