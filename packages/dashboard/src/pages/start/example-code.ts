/** The code of the example reaction, the same as that of a first start. "Closes": the word without s is forbidden. */
export const exampleCode = `// Opens a long position when the price is at or above the average of the last twenty, and closes it below.
// The payload {"price": 100} opens it, and {"price": 90} closes it.
const { price } = JSON.parse($.Request.data)
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-20)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const { action } = $.Strategy.lastTrigger
$.log('price', price, 'average', average.toPrecision(7), 'last action', action)

const long = action === 'LONG'
if (!long && price >= average) await $.Strategy.action($.Action.LONG)
if (long && price < average) await $.Strategy.action($.Action.EXIT)
`
