/** The fixed figures of a run. The parent enforces every one of them; the guest knows them only to fail early. */

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

/** Host calls a run may have under way at once, and may make in all. */
export const callsAtOnce = 8
export const callsPerRun = 200

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
