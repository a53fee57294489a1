/**
 * Puts trading-signals into the snapshot of an isolate, with what it needs of a host and an isolate has not.
 *
 * @param {(structuredClone: Function, Intl: object) => { exports: object, all: unknown[] }} load the library
 * @param {(declared: unknown[]) => void} freezeLibrary
 */
;(function install(load, freezeLibrary) {
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

  const { exports, all } = load(cloneState, { DateTimeFormat })
  freezeLibrary([exports, ...all])
  globalThis.Ta = {
    exports,
    useIntl(intl) {
      dateTimeFormat = intl.DateTimeFormat
    },
  }
})
