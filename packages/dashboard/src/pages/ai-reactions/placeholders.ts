/** The placeholders of prompts, for the editor to explain and to mark. The service decides what it accepts. */

export type Placeholder = { text: string; about: string; isOnce: boolean }

export const placeholders: readonly Placeholder[] = [
  { text: '{{data}}', about: 'the payload', isOnce: true },
  { text: '{{headers}}', about: 'the headers of the payload', isOnce: true },
  { text: '{{ip}}', about: 'the address of the sender', isOnce: true },
  { text: '{{storage}}', about: 'what earlier runs stored', isOnce: true },
  { text: '{{last_trigger_action}}', about: 'the last action, or none', isOnce: false },
  { text: '{{last_trigger_at}}', about: 'when the last action was, or never', isOnce: false },
  { text: '{{current_time}}', about: 'the time of the run', isOnce: false },
  {
    text: '{{price:binance:spot:btc/usdt}}',
    about: 'a current price, by exchange, service and pair',
    isOnce: false,
  },
]

/** The most bytes of a prompt. */
export const promptLimit = 16 * 1024

const encoder = new TextEncoder()

export function bytesOf(text: string): number {
  return encoder.encode(text).length
}

/** A piece of a prompt. `known` and `unknown` are placeholders. */
export type Span = { text: string; mark: 'known' | 'unknown' | null }

const names = new Map(placeholders.map(({ text, isOnce }) => [text.slice(2, -2), isOnce]))
const price = /^price:[\w.-]{1,50}:[\w.-]{1,50}:[\w./:-]{1,100}$/

/** Splits a prompt into text and placeholders. Together, the spans are the prompt. */
export function spansOf(prompt: string): Span[] {
  const spans: Span[] = []
  const seen = new Set<string>()
  let at = 0
  for (;;) {
    const open = prompt.indexOf('{{', at)
    if (open === -1) break
    if (open > at) spans.push({ text: prompt.slice(at, open), mark: null })
    const close = prompt.indexOf('}}', open + 2)
    // Without an end, the braces themselves are what is wrong.
    const end = close === -1 ? open + 2 : close + 2
    const name = prompt.slice(open + 2, close === -1 ? open + 2 : close).trim()
    const isAgain = names.get(name) === true && seen.has(name)
    const isKnown = close !== -1 && !isAgain && (names.has(name) || price.test(name))
    spans.push({ text: prompt.slice(open, end), mark: isKnown ? 'known' : 'unknown' })
    seen.add(name)
    at = end
    if (close === -1) break
  }
  if (at < prompt.length) spans.push({ text: prompt.slice(at), mark: null })
  return spans
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
