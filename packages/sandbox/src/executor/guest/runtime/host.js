/** Calls of the host, and their answers. */

import { callsAtOnce, callsPerRun } from '../../../limits.ts'
import { guestKinds } from '../kinds.ts'
import { deepFreeze } from './frozen.js'

const { parse, stringify } = JSON
const { defineProperty } = Object

/** Asks the host. `detail` is a plain object of checked values. */
export function ask(state, name, detail) {
  if (state.waiting.size >= callsAtOnce) throw new Error(`At most ${callsAtOnce} host calls at a time.`)
  if (state.calls >= callsPerRun) throw new Error(`At most ${callsPerRun} host calls in a run.`)
  state.calls += 1
  const call = state.calls
  const error = new Error()
  return new Promise((resolve, reject) => {
    state.waiting.set(call, { resolve, reject, error })
    const { storage, storageSet } = state
    state.post(guestKinds.call, stringify({ call, name, ...detail, ...(storageSet ? { storage } : {}) }))
  })
}

/** Settles a call with what the host answered. */
export function settle(state, call, ok, valueJson) {
  const waiting = state.waiting.get(call)
  if (waiting === undefined) return
  state.waiting.delete(call)
  const value = parse(valueJson)
  if (ok) {
    waiting.resolve(deepFreeze(value))
    return
  }
  // The error was made when the call was, so that its stack names the line which called.
  define(waiting.error, 'name', value.name)
  define(waiting.error, 'message', value.message)
  waiting.reject(waiting.error)
}

function define(object, key, value) {
  defineProperty(object, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  })
}
