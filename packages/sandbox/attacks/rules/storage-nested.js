/**
 * Stores data nested as deep as the limit allows.
 *
 * Holds: it is a text; code that parses it must not recurse.
 *
 * @ends completed
 */
let nested = []
for (let level = 0; level < 12_000; level += 1) nested = [nested]
await $.Storage.set(nested)
