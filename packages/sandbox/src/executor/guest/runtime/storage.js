import { storageByteLimit } from '../../../limits.ts'
import { byteLength } from './text.js'

const { parse, stringify } = JSON
const { freeze } = Object

/** `$.Storage` of a run. */
export function storageOf(state) {
  return freeze({
    byteLimit: storageByteLimit,
    get: freeze(async () => (state.storage === null ? null : parse(state.storage))),
    set: freeze(async (value) => {
      const text = stringify(value)
      if (text === undefined) throw new TypeError(`$.Storage cannot hold a value of type ${typeof value}`)
      const bytes = text.length > storageByteLimit ? text.length : byteLength(text)
      if (bytes > storageByteLimit) {
        // Counting bytes takes time. For a text far over the limit, its length is exact enough.
        state.oversizeBytes = text.length > 1e6 ? text.length : byteLength(text)
        throw new RangeError(`$.Storage holds at most ${storageByteLimit} bytes, got ${state.oversizeBytes}`)
      }
      state.storage = text
      state.storageSet = true
    }),
  })
}
