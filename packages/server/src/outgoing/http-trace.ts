import type { HttpRequest, HttpResponse } from '@tickwright/sandbox'
import type { HttpCall } from '../db/schema.ts'
import { readUrl } from './outgoing-request.ts'

/** Most characters of an address in the record. */
const longestUrl = 1_000

/** Values shorter than this are not looked for: they would be found by chance. */
const shortestSecret = 6

const mask = '***'

const secretName =
  /key|token|secret|sign|pass|pwd|auth|credential|session|cookie|jwt|otp|^(?:code|pin|pw|sig)$/i

/** In an address, these lead to somebody's webhook for whoever knows what follows. */
const webhookPath = /(\/(?:data-)?webhooks?\/)[^/]+/gi

/**
 * What the record of a run keeps of a request and its answer.
 * @param ms how long the code waited for it
 * @param env the variables of the run, whose values are shown as `{NAME}`
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

/** The address of a request as it may be shown to whoever may see the run. */
export function urlWithoutSecrets(
  request: Pick<HttpRequest, 'url' | 'params'>,
  env: Record<string, string>,
): string {
  const url = readUrl(request)
  if (url === null) return '(no address)'
  // The names of variables go in first: they say more than a mask.
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

/** Random texts of capitals, small letters and digits are mostly keys: of Telegram, Discord, Slack, of webhooks. */
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
    // Asked again for each: a value that is hidden in a longer one costs nothing more.
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
 * Finds a text in an address: each character as it is or percent-encoded, and capitals also as the small letters of a host.
 * Line breaks are left out of an address unless they are encoded, so that any number of them counts as none. All of a
 * row are one part of the pattern: as many optional parts in a row as a text has breaks would be tried in every
 * combination, and take years.
 */
function everySpelling(text: string): RegExp {
  const characters = Array.from(text.replaceAll(/[\t\n\r]+/g, '\n'), (character) => {
    if (character === '\n') return '(?:%0[9ad])*'
    const encoded = [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join('')
    // The longer one first: a percent sign by itself begins its own encoding.
    return `(?:${encoded}|${RegExp.escape(character)}${character === ' ' ? String.raw`|\+` : ''})`
  })
  return new RegExp(characters.join(''), 'giu')
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, '')
}

/** Percent-decodes what can be decoded. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  )
}
