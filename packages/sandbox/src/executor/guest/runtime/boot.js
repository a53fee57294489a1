/**
 * The runtime of a strategy, inside its isolate: builds `$`, runs the code, tells the executor what came of it.
 *
 * Evaluated once for each context, before `harden.js` takes the dangerous intrinsics away and freezes the rest;
 * what these modules need of them they capture. Everything that belongs to one run lives in the `state` that
 * `start` makes for it, so that what a former run left behind reaches nothing of the next one.
 *
 * Only numbers and strings cross to the executor, through `send`. Guest objects never do.
 */

import { guestKinds } from '../kinds.ts'
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
  // Frozen in the snapshot, see `freeze-library.js`.
  const Ta = globalThis.Ta.exports
  globalThis.Ta.useIntl(Intl)
  delete globalThis.Ta
  const createApiClient = globalThis.ApiClient?.createApiClient
  delete globalThis.ApiClient
  const apiClient = createApiClient && freeze({ createApiClient, baseUrl: apiBaseUrl })

  /** The compiled code; a context belongs to one text of one strategy. */
  let body
  /** The run under way, as `deliver` sees it: its waiting calls. */
  let current

  /**
   * Starts a run: `code` is given once, then kept compiled.
   *
   * @param {number} run
   * @param {string} inputJson a RunInput as JSON
   * @param {string | undefined} code
   */
  function start(run, inputJson, code) {
    const state = {
      run,
      post: (kind, text) => send(run, kind, text),
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
    try {
      if (code !== undefined) body = new AsyncFunction('$', `"use strict";\n${code}\n`)
    } catch (error) {
      end(state, { ...describe(error), line: null, column: null }, true)
      return
    }
    const $ = build$(state, parse(inputJson))
    then(
      body($),
      () => end(state, null),
      (thrown) => end(state, describe(thrown)),
    )
  }

  function end(state, error, isSyntax) {
    const { storage, storageSet, oversizeBytes } = state
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

  /** Settles a host call of the run under way. */
  function deliver(run, call, ok, valueJson) {
    if (current.run === run) settle(current, call, ok, valueJson)
  }

  /** Makes `$` for one run. A further member gets a module beside this one and a line here. */
  function build$(state, input) {
    state.storage = input.storage
    const $ = {
      Action,
      Exchange,
      Ta,
      Env: freeze(input.env),
      Strategy: strategyOf(state, input.strategy, input.price),
      Storage: storageOf(state),
      Http: httpOf(state, apiClient),
      getExchangeRate: rateOf(state),
      log: logOf(state),
    }
    if (input.request !== null) $.Request = deepFreeze(input.request)
    if (input.price !== null) $.Price = freeze(input.price)
    return freeze($)
  }

  return { __proto__: null, start, deliver }
}
