/**
 * Puts trading-signals into the snapshot of an isolate, with what it needs of a host and an isolate has not.
 *
 * @param {(structuredClone: Function, Intl: object) => object} load the library's bundle
 */
;(function install(load) {
  /** The library clones its indicators' state with it: plain data, no cycles. */
  function cloneState(value) {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(cloneState)
    if (value instanceof Date) return new Date(value)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneState(member)]))
  }

  /** Formatters by zone, as heavy as they are invisible to the memory limit: few are kept, none handed out. */
  const formatters = new Map()
  const formattersAtMost = 16
  let dateTimeFormat

  class DateTimeFormat {
    constructor(locale, options) {
      // Formatters made before the snapshot's end would abort it, so the real one is looked up at first use.
      const key = `${locale} ${options.timeZone} ${options.weekday}`
      let formatter = formatters.get(key)
      if (formatter === undefined) {
        if (formatters.size >= formattersAtMost) formatters.clear()
        formatter = new dateTimeFormat(locale, { timeZone: options.timeZone, weekday: options.weekday })
        formatters.set(key, formatter)
      }
      this.format = (date) => formatter.format(date)
    }
  }

  // The bundle's exports are getters: resolved here, or each use of an indicator would call one.
  const exports = { ...load(cloneState, { DateTimeFormat }) }
  freezeOwn(exports)
  globalThis.Ta = {
    exports,
    useIntl(intl) {
      dateTimeFormat = intl.DateTimeFormat
    },
  }

  /**
   * Freezes the library, all but V8's own prototypes that it leads to: frozen in a snapshot, they would abort the
   * process that loads it. Doing it here spares each isolate the walk.
   */
  function freezeOwn(root) {
    const foreign = [Object.prototype, Function.prototype, Array.prototype, Error.prototype, Error]
    const seen = new Set(foreign)
    const queue = [root]
    for (const object of queue) {
      if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object))
        continue
      seen.add(object)
      queue.push(Object.getPrototypeOf(object))
      for (const key of Reflect.ownKeys(object)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
        queue.push(value, get, set)
      }
      Object.freeze(object)
    }
  }
})
