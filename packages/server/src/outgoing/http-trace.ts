import type { HttpRequest, HttpResponse } from '@tickwright/sandbox'
import type { HttpCall } from '../db/schema.ts'
import { readUrl } from './outgoing-request.ts'

/** Maximum length of an address in the record, in characters. */
const longestUrl = 1_000

/** Values shorter than this are not hidden: they would match by chance. */
const shortestSecret = 6

const mask = '***'

const secretName =
  /key|token|secret|sign|pass|pwd|auth|credential|session|cookie|jwt|otp|^(?:code|pin|pw|sig)$/i

/** Anyone who knows the part of the address after these can post to the webhook. */
const webhookPath = /(\/(?:data-)?webhooks?\/)[^/]+/gi

/**
 * The entry in the record of a run for a request and its answer.
 * @param ms how long the code waited for the answer
 * @param env the variables of the run, whose values are replaced by `{NAME}`
 */
export function traceOf(
  request: HttpRequest,
  response: HttpResponse,
  ms: number,
  env: Record<string, string>,
): HttpCall {
  const { status, cache } = response
  return { method: request.method, url: urlWithoutSecrets(request, env), status, cache, ms: Math.round(ms) }
}

/** The address of a request without secrets, for the record of the run. */
export function urlWithoutSecrets(
  request: Pick<HttpRequest, 'url' | 'params'>,
  env: Record<string, string>,
): string {
  const url = readUrl(request)
  if (url === null) return '(no address)'
  // Variables are replaced first, since a name says more than a mask.
  const [, path, query] = /^([^?]*)\??(.*)$/s.exec(
    hideVariables(url.origin + url.pathname + url.search, env),
  )!
  const shownPath = path!.replace(webhookPath, `$1${mask}`).split('/').map(hideToken).join('/')
  const shown = query === '' ? shownPath : `${shownPath}?${hideQuery(query!, env)}`
  return shown.length <= longestUrl ? shown : `${shown.slice(0, longestUrl - 1)}…`
}

function hideQuery(query: string, env: Record<string, string>): string {
  return query
    .split('&')
    .map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? []
      if (value === '') return hideToken(pair)
      const variable = /^\{(\w+)\}$/.exec(value)?.[1]
      const isShown = variable !== undefined && Object.hasOwn(env, variable)
      return `${name}=${secretName.test(decode(name)) && !isShown ? mask : hideToken(value)}`
    })
    .join('&')
}

/** Hides long texts with capitals, small letters and digits. Most are keys, for example of Telegram, Discord or Slack. */
function hideToken(text: string): string {
  const isToken = text.length >= 20 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)
  return isToken && /^[\w.:~%=-]+$/.test(text) ? mask : text
}

function hideVariables(text: string, env: Record<string, string>): string {
  const values = Object.entries(env)
    .map(([name, value]) => ({ name, value: value.trim().toWellFormed() }))
    .filter(({ value }) => value.length >= shortestSecret)
    .sort((one, other) => other.value.length - one.value.length)
  let shown = text
  let readings = readingsOf(text)
  for (const { name, value } of values) {
    const plain = withoutBreaks(value).toLowerCase()
    // This check is cheap, and skips values that were replaced as part of a longer one.
    if (!readings.some((reading) => reading.includes(plain))) continue
    shown = shown.replace(everySpelling(value), () => `{${name}}`)
    readings = readingsOf(shown)
  }
  return shown
}

function readingsOf(text: string): string[] {
  return [text, text.replaceAll('+', ' ')].map((reading) => withoutBreaks(decode(reading)).toLowerCase())
}

/**
 * A pattern that finds a text in an address. Each character can be plain or percent-encoded, and the host is in lower
 * case. An address contains line breaks only percent-encoded, so each sequence of them is optional. A sequence is one
 * part of the pattern: with one optional part for each break, the engine would try every combination, for years.
 */
function everySpelling(text: string): RegExp {
  const characters = Array.from(text.replaceAll(/[\t\n\r]+/g, '\n'), (character) => {
    if (character === '\n') return '(?:%0[9ad])*'
    const encoded = [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join('')
    // The longer alternative comes first, since the encoding of a percent sign begins with one.
    return `(?:${encoded}|${RegExp.escape(character)}${character === ' ' ? String.raw`|\+` : ''})`
  })
  return new RegExp(characters.join(''), 'giu')
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, '')
}

/** Decodes every percent-encoded byte. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  )
}
