/** Host calls and their answers. */

import { callsAtOnce, callsPerRun } from '../../../limits.ts'
import { guestKinds } from '../kinds.ts'
import { deepFreeze } from './frozen.js'

const { parse, stringify } = JSON
const { defineProperty } = Object

/** Makes a host call. `detail` is a plain object of checked values. */
export function ask(state, name, detail) {
  if (state.waiting.size >= callsAtOnce)
    throw new Error(`A run may make at most ${callsAtOnce} host calls at a time.`)
  if (state.calls >= callsPerRun) throw new Error(`A run may make at most ${callsPerRun} host calls.`)
  state.calls += 1
  const call = state.calls
  const error = new Error()
  return new Promise((resolve, reject) => {
    state.waiting.set(call, { resolve, reject, error })
    const { storage, storageSet } = state
    state.post(guestKinds.call, stringify({ call, name, ...detail, ...(storageSet ? { storage } : {}) }))
  })
}

/** Settles a call with the host's answer: JSON, or an ArrayBuffer. */
export function settle(state, call, ok, answer) {
  const waiting = state.waiting.get(call)
  if (waiting === undefined) return
  state.waiting.delete(call)
  const value = typeof answer === 'string' ? parse(answer) : answer
  if (ok) {
    waiting.resolve(deepFreeze(value))
    return
  }
  // The error was created with the call, so that its stack names the line of the call.
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
