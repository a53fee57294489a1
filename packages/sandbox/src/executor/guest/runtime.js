/**
 * The runtime of a strategy, inside its isolate: builds `$`, runs the code, tells the executor what came of it.
 *
 * Evaluated once for each context, before `harden.js` takes the dangerous intrinsics away and freezes the rest;
 * what this script needs of them it captures here. Everything that belongs to one run lives in the closures that
 * `start` makes for it, so that what a former run left behind reaches nothing of the next one.
 *
 * Only numbers and strings cross to the executor, through `send`. Guest objects never do.
 *
 * @param {(run: number, kind: number, text: string) => void} send posts to the executor and returns at once
 * @param {string} constantsJson limits and names, from `executor/isolate.ts`
 */
;(function boot(send, constantsJson) {
  const {
    kinds,
    actionNames,
    exchangeNames,
    storageByteLimit,
    logByteLimit,
    logCutMark,
    callsAtOnce,
    callsPerRun,
    messageLimit,
    nameLimit,
    actionIdLimit,
    headLines,
  } = JSON.parse(constantsJson)

  const { stringify, parse } = JSON
  const { freeze, keys } = Object
  const { isFinite: isFiniteNumber } = Number
  const AsyncFunction = (async () => {}).constructor
  const then = Function.prototype.call.bind(Promise.prototype.then)
  const nonAscii = /[^\0-\x7f]/

  const Action = enumeration(actionNames)
  const Exchange = enumeration(exchangeNames)
  // Frozen in the snapshot, see indicators.js.
  const Ta = globalThis.Ta.exports
  globalThis.Ta.useIntl(Intl)
  delete globalThis.Ta

  /** The compiled code; a context belongs to one text of one strategy. */
  let body
  /** The run under way, as `deliver` sees it: its waiting calls. */
  let current

  function enumeration(names) {
    const members = {}
    for (const name of names) members[name] = name
    return freeze(members)
  }

  // --- errors: what the code threw, and where --------------------------------------------------------------

  /** Places of errors whose stack was rendered: the first frame in the user's own text. */
  const places = new WeakMap()

  // The user's code is the only one compiled from a string. Frames of this file are left out: they are not the
  // user's business. Called by V8 when a stack is first read.
  Error.prepareStackTrace = function prepareStackTrace(error, sites) {
    let text = headline(error)
    try {
      let placed = false
      for (const site of sites) {
        const file = site.getFileName()
        if (file === 'tickwright') continue
        const name = site.getFunctionName()
        if (site.isEval()) {
          const line = site.getLineNumber() - headLines
          const column = site.getColumnNumber()
          if (line < 1) continue
          if (!placed) places.set(error, { line, column })
          placed = true
          const place = `strategy:${line}:${column}`
          text += name === null || name === 'eval' ? `\n    at ${place}` : `\n    at ${name} (${place})`
        } else {
          text += `\n    at ${name ?? '<anonymous>'} (${file ?? 'native'})`
        }
      }
    } catch {
      // A forged call site. Whoever forged it gets what there is.
    }
    return text
  }

  function headline(error) {
    try {
      const { name, message } = error
      return message === '' ? `${name}` : `${name}: ${message}`
    } catch {
      return 'Error'
    }
  }

  /** Anything that can be thrown, as `{ name, message, line, column }`. Never throws. */
  function describe(thrown) {
    const described = { name: 'Error', message: '', line: null, column: null }
    try {
      if (thrown instanceof Error) {
        void thrown.stack
        const place = places.get(thrown)
        if (place !== undefined) {
          described.line = place.line
          described.column = place.column
        }
        described.name = shorten(`${thrown.name}`, nameLimit)
        described.message = shorten(`${thrown.message}`, messageLimit)
      } else {
        described.message = shorten(
          typeof thrown === 'string' ? thrown : `${render(thrown)} was thrown`,
          messageLimit,
        )
      }
    } catch {
      described.message = described.message || 'something was thrown that cannot be described'
    }
    return described
  }

  function shorten(text, limit) {
    return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
  }

  /** A value as a line of the log shows it. May throw what the value's own members throw. */
  function render(value) {
    if (typeof value === 'string') return value
    if (value instanceof Error) return headline(value)
    if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value !== 'object' || value === null) return String(value)
    try {
      return stringify(value) ?? String(value)
    } catch {
      return '[object]'
    }
  }

  /** Bytes of a text in UTF-8. */
  function byteLength(text) {
    if (!nonAscii.test(text)) return text.length
    let bytes = text.length
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      // A surrogate pair is two units and four bytes; a lone one becomes U+FFFD, three bytes.
      if (unit >= 0x800)
        bytes += unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(index + 1)) ? 0 : 2
      else if (unit >= 0x80) bytes += 1
    }
    return bytes
  }

  function isLow(unit) {
    return unit >= 0xdc00 && unit <= 0xdfff
  }

  // --- one run ---------------------------------------------------------------------------------------------

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
      storage: null,
      storageSet: false,
      oversizeBytes: 0,
      logBytes: 0,
      logCut: false,
      calls: 0,
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
    send(
      state.run,
      kinds.end,
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
    if (current.run !== run) return
    const waiting = current.waiting.get(call)
    if (waiting === undefined) return
    current.waiting.delete(call)
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
    Object.defineProperty(object, key, { value, writable: true, enumerable: false, configurable: true })
  }

  function deepFreeze(value) {
    if (typeof value !== 'object' || value === null) return value
    for (const key of keys(value)) deepFreeze(value[key])
    return freeze(value)
  }

  /** Asks the host. `detail` is a plain object of checked values. */
  function ask(state, name, detail) {
    if (state.waiting.size >= callsAtOnce) throw new Error(`At most ${callsAtOnce} host calls at a time.`)
    if (state.calls >= callsPerRun) throw new Error(`At most ${callsPerRun} host calls in a run.`)
    state.calls += 1
    const call = state.calls
    const error = new Error()
    return new Promise((resolve, reject) => {
      state.waiting.set(call, { resolve, reject, error })
      const { storage, storageSet } = state
      send(state.run, kinds.call, stringify({ call, name, ...detail, ...(storageSet ? { storage } : {}) }))
    })
  }

  // --- $ ---------------------------------------------------------------------------------------------------

  /** Makes `$` for one run. A further member (Price, Env, Http, getExchangeRate) gets its maker below and a line here. */
  function build$(state, input) {
    state.storage = input.storage
    const $ = {
      Action,
      Exchange,
      Ta,
      Strategy: strategyOf(state, input.strategy),
      Storage: storageOf(state),
      log: logOf(state),
    }
    if (input.request !== null) $.Request = deepFreeze(input.request)
    return freeze($)
  }

  function strategyOf(state, strategy) {
    const { id, type, signal } = strategy
    const members = {
      id,
      type,
      roi: freeze((percentage, openPrice, currentPrice) =>
        roi(percentage, openPrice ?? signal?.lastTrigger.price, currentPrice),
      ),
      stop: freeze(async (notify) => {
        if (notify !== undefined && typeof notify !== 'boolean')
          throw new TypeError('notify must be a boolean')
        return await ask(state, 'stop', { notify: notify === true })
      }),
    }
    if (signal !== null) {
      members.signalSymbols = freeze(signal.symbols)
      members.lastTrigger = freeze(signal.lastTrigger)
      members.action = freeze(
        async (type, options) =>
          await ask(state, 'action', { action: checkActionType(type), options: checkActionOptions(options) }),
      )
    }
    return freeze(members)
  }

  /** `null` without two valid prices. The sign does not turn for shorts. */
  function roi(percentage, openPrice, currentPrice) {
    if (!isPrice(openPrice) || !isPrice(currentPrice)) return null
    const ratio = (currentPrice - openPrice) / openPrice
    return percentage === true ? ratio * 100 : ratio
  }

  function isPrice(value) {
    return isFiniteNumber(value) && value > 0
  }

  function checkActionType(type) {
    if (type !== Action.LONG && type !== Action.SHORT && type !== Action.EXIT) {
      throw new TypeError('type must be $.Action.LONG, $.Action.SHORT or $.Action.EXIT')
    }
    return type
  }

  const actionOptionChecks = {
    __proto__: null,
    id: [
      (id) => typeof id === 'string' && id.length <= actionIdLimit,
      `a string of at most ${actionIdLimit} characters`,
    ],
    dilution: [(dilution) => typeof dilution === 'boolean', 'a boolean'],
    size: [isPrice, 'a number greater than 0'],
    forceSize: [(forceSize) => typeof forceSize === 'boolean', 'a boolean'],
  }

  /** Reads each option once, so that a getter cannot show the check one value and the host another. */
  function checkActionOptions(options) {
    const checked = {}
    if (options === undefined) return checked
    if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object')
    for (const key of keys(options)) {
      const check = actionOptionChecks[key]
      if (check === undefined)
        throw new TypeError(`options.${shorten(key, nameLimit)} is not an option of an action`)
      const value = options[key]
      if (value === undefined) continue
      if (!check[0](value)) throw new TypeError(`options.${key} must be ${check[1]}`)
      checked[key] = value
    }
    return checked
  }

  function storageOf(state) {
    return freeze({
      byteLimit: storageByteLimit,
      get: freeze(async () => (state.storage === null ? null : parse(state.storage))),
      set: freeze(async (value) => {
        const text = stringify(value)
        if (text === undefined) throw new TypeError(`$.Storage cannot hold a value of type ${typeof value}`)
        const bytes = text.length > storageByteLimit ? text.length : byteLength(text)
        if (bytes > storageByteLimit) {
          // Counting is for texts near the limit; a bomb is as big as it is long.
          state.oversizeBytes = text.length > 1e6 ? text.length : byteLength(text)
          throw new RangeError(
            `$.Storage holds at most ${storageByteLimit} bytes, got ${state.oversizeBytes}`,
          )
        }
        state.storage = text
        state.storageSet = true
      }),
    })
  }

  function logOf(state) {
    return freeze((...values) => {
      if (state.logCut) return
      let line
      try {
        line = `${values.map(render).join(' ')}\n`
      } catch {
        line = '[a value that cannot be shown]\n'
      }
      const free = logByteLimit - state.logBytes
      const bytes = line.length > free ? line.length : byteLength(line)
      if (bytes > free) {
        state.logCut = true
        line = `${cutToBytes(line, free)}${logCutMark}\n`
      }
      state.logBytes += bytes
      send(state.run, kinds.log, line)
    })
  }

  /** The longest beginning of a text that fits, never half of a surrogate pair. */
  function cutToBytes(text, limit) {
    let bytes = 0
    let end = 0
    for (const character of text.slice(0, limit)) {
      bytes += byteLength(character)
      if (bytes > limit) break
      end += character.length
    }
    return text.slice(0, end)
  }

  return { __proto__: null, start, deliver, shared: freeze([Action, Exchange]) }
})
