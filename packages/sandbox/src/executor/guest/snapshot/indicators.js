/**
 * Puts trading-signals into the snapshot of an isolate, with replacements for objects that an isolate does not have.
 *
 * @param {(structuredClone: Function, Intl: object) => { exports: object, all: unknown[] }} load the library
 * @param {(declared: unknown[]) => void} freezeLibrary
 */
;(function install(load, freezeLibrary) {
  /** The library clones the state of indicators with this: plain data without cycles. */
  function cloneState(value) {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(cloneState)
    if (value instanceof Date) return new Date(value)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneState(member)]))
  }

  /** Formatters by zone. They are large, and the memory limit does not count them, so only a few exist and code gets none. */
  const formatters = new Map()
  const formattersAtMost = 16
  let dateTimeFormat

  class DateTimeFormat {
    constructor(locale, options) {
      // A snapshot cannot contain formatters, so the first use creates them.
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
