/** The placeholders of prompts, for the editor to explain and to mark. The service decides what it accepts. */
import type { AiKind } from './kinds.ts'

/** `only`: the other kind does not have it. */
export type Placeholder = { text: string; about: string; isOnce: boolean; only?: AiKind }

const toon = 'JSON in the TOON notation, which takes fewer tokens'

export const placeholders: readonly Placeholder[] = [
  { text: '{{data}}', about: 'the payload', isOnce: true, only: 'reaction' },
  { text: '{{headers}}', about: 'the headers of the payload', isOnce: true, only: 'reaction' },
  { text: '{{ip}}', about: 'the address of the sender', isOnce: true, only: 'reaction' },
  { text: '{{storage}}', about: 'what earlier runs stored', isOnce: true },
  { text: '{{last_trigger_action}}', about: 'the last action, or none', isOnce: false },
  { text: '{{last_trigger_at}}', about: 'when the last action was, or never', isOnce: false },
  { text: '{{current_time}}', about: 'the time of the run', isOnce: false },
  {
    text: '{{price:binance:spot:btc/usdt}}',
    about: 'a current price, by exchange, service and pair',
    isOnce: false,
  },
  { text: '{{get:https://example.com/}}', about: 'what an address answers', isOnce: false },
  { text: '{{toon:data}}', about: toon, isOnce: false, only: 'reaction' },
  { text: '{{toon:storage}}', about: toon, isOnce: false, only: 'session' },
  { text: '{{val:name=value}}', about: 'defines {{name}}, and leaves nothing itself', isOnce: false },
  { text: '{{comment:…}}', about: 'left out, like {{#:…}}', isOnce: false },
]

/** The most bytes of a prompt. */
export const promptLimit = 1024 * 1024

const encoder = new TextEncoder()

export function bytesOf(text: string): number {
  return encoder.encode(text).length
}

/** A piece of a prompt. `known` and `unknown` are placeholders. */
export type Span = { text: string; mark: 'known' | 'unknown' | null }

const names = new Map(
  placeholders
    .filter(({ text }) => !text.includes(':'))
    .map(({ text, isOnce }) => [text.slice(2, -2), isOnce] as const),
)
const forms = [
  /^price:[\w.-]{1,50}:[\w.-]{1,50}:[\w./:-]{1,100}$/,
  /^(?:toon:\s*(?:\{\{)?)?get:\s*https?:\/\/\S+$/,
  /^val:\s*[A-Za-z_][\w-]{0,49}\s*=/,
  /^(?:comment|#):/,
  /^toon:\s*[^\sA-Za-z_]/,
]
const definition = /\{\{\s*val:\s*([A-Za-z_][\w-]{0,49})\s*=/g
const own = /^(?:toon:\s*)?([A-Za-z_][\w-]{0,49})$/

const ofPayload = new Set(
  placeholders.filter(({ only }) => only === 'reaction').map(({ text }) => text.slice(2, -2)),
)

/**
 * Splits a prompt into text and placeholders. Together, the spans are the prompt.
 */
export function spansOf(prompt: string, kind: AiKind): Span[] {
  const spans: Span[] = []
  const seen = new Set<string>()
  const defined = new Set([...prompt.matchAll(definition)].map(([, name]) => name!))
  let at = 0
  for (;;) {
    const open = prompt.indexOf('{{', at)
    if (open === -1) break
    if (open > at) spans.push({ text: prompt.slice(at, open), mark: null })
    const end = endOf(prompt, open)
    const written = prompt.slice(open + 2, end === -1 ? open + 2 : end - 2).trim()
    const name = own.exec(written)?.[1] ?? ''
    const isAgain = names.get(name) === true && seen.has(name)
    const isHere = kind === 'reaction' || !ofPayload.has(name)
    const isKnown =
      (names.has(name) && isHere) || defined.has(name) || forms.some((form) => form.test(written))
    spans.push({
      // Without an end, the braces themselves are what is wrong.
      text: prompt.slice(open, end === -1 ? open + 2 : end),
      mark: end !== -1 && isKnown && !isAgain ? 'known' : 'unknown',
    })
    seen.add(name)
    at = end === -1 ? open + 2 : end
    if (end === -1) break
  }
  if (at < prompt.length) spans.push({ text: prompt.slice(at), mark: null })
  return spans
}

const comment = /\{\{\s*(?:comment|#):/y
const jsonFollows = /\{\{\s*(?:toon:|val:[^={}]*=)\s*(?=[{[])/y

/** The index after the end of a placeholder; -1 if it has none. JSON and comments can have braces of their own. */
function endOf(prompt: string, open: number): number {
  comment.lastIndex = open
  if (comment.test(prompt)) return balancedEnd(prompt, open, /\{\{|\}\}/g)
  jsonFollows.lastIndex = open
  const start = jsonFollows.test(prompt) ? balancedEnd(prompt, jsonFollows.lastIndex, jsonToken) : open + 2
  const close = start === -1 ? -1 : prompt.indexOf('}}', start)
  return close === -1 ? -1 : close + 2
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{[\]}]/gs

function balancedEnd(prompt: string, start: number, token: RegExp): number {
  token.lastIndex = start
  let depth = 0
  for (let found = token.exec(prompt); found !== null; found = token.exec(prompt)) {
    if (/^[{[]/.test(found[0])) depth += 1
    else if (/^[}\]]/.test(found[0])) depth -= 1
    if (depth === 0) return token.lastIndex
  }
  return -1
}

/** The position of a line and column, which count from 1, in UTF-16 units. */
export function positionOf(prompt: string, line: number, column: number): number {
  let start = 0
  for (let before = 1; before < line; before += 1) {
    const end = prompt.indexOf('\n', start)
    if (end === -1) break
    start = end + 1
  }
  return Math.min(start + column - 1, prompt.length)
}
