/**
 * The runtime of a strategy, inside its isolate: it builds `$`, runs the code, and reports the result to the executor.
 *
 * It is evaluated once for each context, before `harden.js` removes the dangerous intrinsics and freezes the others.
 * These modules capture the intrinsics that they need. Everything that belongs to one run is in the `state` that
 * `start` creates for it, so that nothing of an earlier run can reach the next one.
 *
 * Only numbers and strings go to the executor, through `send`; guest objects never do.
 */

import { guestKinds } from '../kinds.ts'
import { Candles, candlesOf } from './candles.js'
import { beginClock, moveClock } from './clock.js'
import { describe } from './errors.js'
import { deepFreeze } from './frozen.js'
import { settle } from './host.js'
import { httpOf } from './http.js'
import { logOf } from './log.js'
import { Exchange, rateOf } from './rates.js'
import { storageOf } from './storage.js'
import { Action, strategyOf } from './strategy.js'

const { stringify, parse } = JSON
const { freeze } = Object
const AsyncFunction = (async () => {}).constructor
const then = Function.prototype.call.bind(Promise.prototype.then)

/**
 * @param {(run: number, kind: number, text: string) => void} send posts to the executor and returns at once
 * @param {string | null} apiBaseUrl where the API client sends its requests
 */
export function boot(send, apiBaseUrl) {
  // `freeze-library.js` froze it in the snapshot.
  const Ta = globalThis.Ta.exports
  globalThis.Ta.useIntl(Intl)
  delete globalThis.Ta
  const createApiClient = globalThis.ApiClient?.createApiClient
  delete globalThis.ApiClient
  const apiClient = createApiClient && freeze({ createApiClient, baseUrl: apiBaseUrl })

  /** The compiled code. A context belongs to one version of the code of one strategy. */
  let body
  /** The state of the current run. */
  let current
  /** The input that the runs of a series have in common, with what the last one stored. */
  let shared

  /**
   * Starts a run. `code` is passed once and then stays compiled.
   *
   * @param {number} run
   * @param {string | object} given a RunInput as JSON, or one that belongs to this run
   * @param {string | undefined} code
   * @param {boolean} collects whether the executor takes the messages of this entry from the returned list, of kinds and
   * texts in turn. The microtasks of the entry run before the executor reads the list.
   * @param {number} startMs what its clock shows, in Unix milliseconds
   * @param {number} seed of its random numbers
   * @param {boolean | undefined} isOfSeries
   */
  function start(run, given, code, collects, startMs, seed, isOfSeries) {
    const state = {
      run,
      isOfSeries: isOfSeries === true,
      collected: collects === true ? [] : null,
      post(kind, text) {
        if (state.collected === null) send(run, kind, text)
        else state.collected.push(kind, text)
      },
      storage: null,
      storageSet: false,
      oversizeBytes: 0,
      logBytes: 0,
      logCut: false,
      calls: 0,
      httpRequests: 0,
      signedLength: 0,
      waiting: new Map(),
    }
    current = state
    beginClock(startMs, seed)
    try {
      if (code !== undefined) body = new AsyncFunction('$', `"use strict";\n${code}\n`)
    } catch (error) {
      end(state, { ...describe(error), line: null, column: null }, true)
      return undefined
    }
    const $ = build$(state, typeof given === 'string' ? parse(given) : given)
    then(
      body($),
      () => end(state, null),
      (thrown) => end(state, describe(thrown)),
    )
    return state.collected ?? undefined
  }

  /**
   * Starts the next run of a series. It returns a list like `start` that collects.
   *
   * @param {string | null} data of the request; `null` if there is none
   * @param {number | null} price the current price; `null` if there is none
   * @param {string | undefined} senderJson headers and address of the request, if they are not those of the first run
   * @param {string | undefined} sharedJson a RunInput as JSON, with the first run: what these two do not replace
   * @param {string | undefined} code with the first run, if it is not compiled yet
   */
  function next(run, startMs, seed, data, price, senderJson, sharedJson, code) {
    if (sharedJson !== undefined) shared = parse(sharedJson)
    const { strategy, storage, env } = shared
    const request =
      data === null
        ? null
        : { ...shared.request, ...(senderJson === undefined ? {} : parse(senderJson)), data }
    const input = {
      strategy,
      storage,
      env,
      request,
      price: price === null ? null : { ...shared.price, price },
    }
    return start(run, input, code, true, startMs, seed, true)
  }

  function end(state, error, isSyntax) {
    const { storage, storageSet, oversizeBytes } = state
    if (state.isOfSeries) {
      if (storageSet) shared.storage = storage
      if (error === null && oversizeBytes === 0) {
        state.post(guestKinds.returned, storageSet ? storage : '')
        return
      }
    }
    state.post(
      guestKinds.end,
      stringify({
        error,
        isSyntax: isSyntax === true,
        ...(storageSet ? { storage } : {}),
        ...(oversizeBytes > 0 ? { oversizeBytes } : {}),
      }),
    )
  }

  /** Settles a host call of the current run, at the moment `ms`. `value` is JSON or an ArrayBuffer. */
  function deliver(run, call, ok, value, ms) {
    if (current.run !== run) return
    current.collected = null
    moveClock(ms)
    settle(current, call, ok, value)
  }

  /** Builds `$` for one run. A new member gets a module beside this one and a line here. */
  function build$(state, input) {
    state.storage = input.storage
    const $ = {
      Action,
      Exchange,
      Candles,
      Ta,
      Env: freeze(input.env),
      Strategy: strategyOf(state, input.strategy, input.price),
      Storage: storageOf(state),
      Http: httpOf(state, apiClient),
      getExchangeRate: rateOf(state),
      candles: candlesOf(state),
      log: logOf(state),
    }
    if (input.request !== null) $.Request = deepFreeze(input.request)
    if (input.price !== null) $.Price = freeze(input.price)
    return freeze($)
  }

  return { __proto__: null, start, deliver, next }
}
