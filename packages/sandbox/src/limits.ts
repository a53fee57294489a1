/** The fixed figures of a run. The parent enforces every one of them; the guest knows them only to fail early. */

/** Wall-clock time that a run may take, in ms, unless the sandbox is told otherwise. */
export const runTimeoutMs = 5_000

/** Most UTF-8 bytes of code that a strategy may have. */
export const codeByteLimit = 256 * 1024

/** Most UTF-8 bytes of JSON that `$.Storage` holds (`$.Storage.byteLimit`). */
export const storageByteLimit = 24_576

/** Most UTF-8 bytes that `$.log` keeps of one run, before its mark of truncation. */
export const logByteLimit = 8 * 1024

/** What stands at the end of a log that was cut. */
export const logCutMark = '… (log cut at 8 KB)'

/** Actions a run may send. */
export const actionsPerRun = 1

/** Actions that all strategies of an account together may send within a second. The host counts them. */
export const actionsPerSecond = 5

/** Host calls a run may have under way at once, and may make in all. */
export const callsAtOnce = 8
export const callsPerRun = 200

/** Requests that `$.Http` makes in a run. */
export const httpRequestsPerRun = 20

/** Most characters of all answers of `$.Http` in a run: each crosses to the executor whole, cached or not. */
export const answersLengthLimit = 8 * 1024 * 1024

/** How long `$.Http` waits for an answer, in ms (`$.Http.timeout`). */
export const httpTimeoutMs = 1_750

/** Most characters of an address, with its query, and of all headers of a request. */
export const urlLengthLimit = 8 * 1024
export const headersLengthLimit = 16 * 1024

/** Most UTF-8 bytes of a request's body, and of a payload to sign. */
export const bodyByteLimit = 256 * 1024

/** Most characters of all payloads that a run has signed: the service signs, and would be kept busy. */
export const signedLengthLimit = 1024 * 1024

/** Most characters of a secret to sign with: an ML-DSA-44 key in PKCS#8 and Base64 has 3,500. */
export const secretLengthLimit = 16 * 1024

/** Most characters of the symbol of an exchange rate. */
export const symbolLengthLimit = 100

/** Most characters of an error's message, and of its name. */
export const errorMessageLimit = 1_000
export const errorNameLimit = 100

/** Most characters of the `id` of an action. */
export const actionIdLimit = 255

/** How long after a run's deadline its executor may still show that thread, in ms; then it is killed. */
export const killGraceMs = 300

/** How long a settled or overdue run still waits for host calls that are under way, in ms. */
export const hostGraceMs = 2_000

/** Cuts a text to a number of characters, showing that it did. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}
