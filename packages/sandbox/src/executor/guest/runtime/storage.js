import { storageByteLimit } from '../../../limits.ts'
import { byteLength } from './text.js'

const { parse, stringify } = JSON
const { freeze } = Object

/** A character has at most three bytes for each unit of its length, so most texts need no look at their characters. */
const isSurelyShort = (text) => 3 * text.length <= storageByteLimit

/** `$.Storage` of a run. */
export function storageOf(state) {
  return freeze({
    byteLimit: storageByteLimit,
    get: freeze(async () => (state.storage === null ? null : parse(state.storage))),
    set: freeze(async (value) => {
      const text = stringify(value)
      if (text === undefined) throw new TypeError(`$.Storage cannot hold a value of type ${typeof value}`)
      if (!isSurelyShort(text) && (text.length > storageByteLimit || byteLength(text) > storageByteLimit)) {
        // Counting bytes takes time. For a text far over the limit, its length is exact enough.
        state.oversizeBytes = text.length > 1e6 ? text.length : byteLength(text)
        throw new RangeError(`$.Storage holds at most ${storageByteLimit} bytes, got ${state.oversizeBytes}`)
      }
      state.storage = text
      state.storageSet = true
    }),
  })
}
