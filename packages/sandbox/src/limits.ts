/** The fixed limits of a run. The parent enforces all of them. The guest knows them only to fail early. */

/** Wall-clock time that a run may take, in ms, unless an option of the sandbox sets another limit. */
export const runTimeoutMs = 5_000

/**
 * Time that a run waits for the service itself, in ms, unless an option of the sandbox sets another limit. Longer than most
 * outages of a database. A service that has forgotten the run must not hold up its strategy for ever.
 */
export const serviceWaitMs = 5 * 60_000

/** Maximum size of a strategy's code, in bytes of UTF-8. */
export const codeByteLimit = 256 * 1024

/** Maximum size of the stored value as JSON, in bytes of UTF-8 (`$.Storage.byteLimit`). */
export const storageByteLimit = 24_576

/** Maximum size of the log of a run without the mark below, in bytes of UTF-8. */
export const logByteLimit = 8 * 1024

/** The end of a log that was cut. */
export const logCutMark = '… (log cut at 8 KB)'

/** Lines of the log of a run whose times are noted. */
export const timedLinesPerRun = 200

/** Actions that a run may send. */
export const actionsPerRun = 1

/** Actions that all strategies of an account together may send within a second. The host counts them. */
export const actionsPerSecond = 5

/** Host calls that a run may have pending at a time, and may make in total. */
export const callsAtOnce = 8
export const callsPerRun = 200

/** Calls of `$.Strategy.positions` that a run may make. Each is a query of the host. */
export const positionCallsPerRun = 10

/** Requests that a run may send with `$.Http`. */
export const httpRequestsPerRun = 20

/** Maximum length of all answers of `$.Http` in a run, in characters. Each answer is copied to the executor, cached or not. */
export const answersLengthLimit = 8 * 1024 * 1024

/** Time that `$.Http` waits for an answer, in ms (`$.Http.timeout`). */
export const httpTimeoutMs = 1_750

/** Maximum length of an address with its query, and of all headers of a request, in characters. */
export const urlLengthLimit = 8 * 1024
export const headersLengthLimit = 16 * 1024

/** Maximum size of the body of a request, and of a payload to sign, in bytes of UTF-8. */
export const bodyByteLimit = 256 * 1024

/** Maximum length of all payloads that a run signs, in characters. The service signs, so this costs the service time. */
export const signedLengthLimit = 1024 * 1024

/** Maximum length of a secret to sign with, in characters. An ML-DSA-44 key in PKCS#8 and Base64 has 3,500. */
export const secretLengthLimit = 16 * 1024

/** Maximum length of the symbol of an exchange rate, in characters. */
export const symbolLengthLimit = 100

/** Candles that one call of `$.candles` returns at most, and calls of it that a run may make. */
export const candlesPerCall = 1_000
export const candleCallsPerRun = 20

/** Time that `$.candles` waits for an exchange, in ms. */
export const candleTimeoutMs = 1_750

/** Maximum length of an interval, and of the names of an exchange and a service, in characters. */
export const intervalLengthLimit = 10
export const venueLengthLimit = 50

/** Maximum length of the message and of the name of an error, in characters. */
export const errorMessageLimit = 1_000
export const errorNameLimit = 100

/** Maximum length of the `id` of an action, in characters. */
export const actionIdLimit = 255

/** Maximum length of a level of a protection, such as `2%`, in characters, and targets that a protection has at most. */
export const levelLengthLimit = 64
export const targetsPerProtection = 8

/** An executor is killed if a run is still in it this long after the run's deadline, in ms. */
export const killGraceMs = 300

/**
 * So often may the time in which the service stood still not count for a run. Code that found a way to keep the service
 * busy for long would otherwise have all the time that it likes.
 */
export const standstillsPerRun = 3

/** Time that a finished or overdue run still waits for its pending host calls, in ms. */
export const hostGraceMs = 2_000

/** Cuts a text to `limit` characters. A text that was cut ends in `…`. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}
