import type { AppError, ErrorDetail } from '../base/errors.ts'

/** The largest error response, in bytes. */
export const errorBodyLimit = 64 * 1024
/** The most characters of the sentence, and of each text in the details. A character has at most six bytes of JSON. */
const longestSentence = 1_000
const longestText = 500
/** An entry of `details` that would be longer keeps only its `field` and `message`. */
const longestDetailBytes = 8 * 1024
const mostDetails = 100
const detailsByteLimit = 48 * 1024

/**
 * The body of an error response. It may repeat what the caller sent, but never at length: texts are shortened, and if
 * there are many details, the last one says how many are left out.
 */
export function errorBody(error: AppError, requestId: string): string {
  const details = error.details === undefined ? '' : `,"details":[${detailsOf(error.details).join(',')}]`
  const sentence = JSON.stringify(shortenedSentence(error.message))
  return `{"error":${sentence},"code":"${error.code}"${details},"request_id":${JSON.stringify(requestId)}}`
}

/** As many details as fit, each as JSON. */
function detailsOf(details: readonly ErrorDetail[]): string[] {
  const fitting: string[] = []
  let bytes = 0
  for (const detail of details.slice(0, mostDetails)) {
    const text = detailJson(detail)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > detailsByteLimit) break
    fitting.push(text)
  }
  const left = details.length - fitting.length
  return left === 0 ? fitting : [...fitting, JSON.stringify({ message: `and ${left} more` })]
}

function detailJson(detail: ErrorDetail): string {
  const short = Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? shortened(value) : value,
    ]),
  )
  const text = JSON.stringify(short)
  if (Buffer.byteLength(text) <= longestDetailBytes) return text
  return JSON.stringify({ field: short.field, message: short.message })
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`
}

function shortenedSentence(text: string): string {
  if (text.length <= longestSentence) return text
  return `${text.slice(0, longestSentence).toWellFormed()}… (shortened).`
}
