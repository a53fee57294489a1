/** Copies the entry of an action, so that only plain data leaves the isolate. This checks the shape alone. */

import { copyFields, copyLevel } from './protection.js'

const entryFields = {
  __proto__: null,
  type: copyLevel,
  price: copyLevel,
  offset: copyLevel,
  timeout_seconds: copyLevel,
  on_timeout: copyLevel,
  chases: copyLevel,
  max_slippage: copyLevel,
}

/** Throws a TypeError that names the field, unless the value has the shape of an entry. */
export function copyEntry(value) {
  return copyFields(value, 'options.entry', entryFields, "{ type: 'limit', price: 50000 }", 'an entry')
}
