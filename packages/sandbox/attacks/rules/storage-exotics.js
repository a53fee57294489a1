/**
 * Stores values that JSON cannot represent.
 *
 * Holds: a value without JSON is an error; members that JSON drops are dropped.
 *
 * @ends completed
 * @log TypeError TypeError TypeError null
 */
const ends = []
for (const value of [() => {}, 1n, undefined]) await $.Storage.set(value).then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
await $.Storage.set([NaN][0])
$.log(...ends, JSON.stringify(await $.Storage.get()))
