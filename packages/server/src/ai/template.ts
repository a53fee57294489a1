/** The most UTF-8 bytes in a prompt, before its values are filled in. */
export const promptByteLimit = 16 * 1024

/** The most prices in a prompt. The run waits for all of them. */
export const pricesPerPrompt = 10

export const valueNames = [
  ...([
    'data',
    'headers',
    'ip',
    'last_trigger_action',
    'last_trigger_at',
    'current_time',
    'storage',
  ] as const),
] as const
export type ValueName = (typeof valueNames)[number]

/** Values from outside that can be long: each may appear once. */
const onceOnly: ReadonlySet<string> = new Set(['data', 'headers', 'ip', 'storage'] satisfies ValueName[])

/** `exchange` and `service` as in `$.Price`, in lower case. */
export type PriceName = { exchange: string; service: string; pair: string }

export type TemplatePart =
  | { type: 'text'; text: string }
  | { type: 'value'; name: ValueName }
  | ({ type: 'price' } & PriceName)

/** A parsed prompt. Values are filled in after parsing, so a value cannot add placeholders. */
export type Template = readonly TemplatePart[]

/** `line` and `column` count from 1, in UTF-16 units. */
export type TemplateProblem = { message: string; line: number; column: number }

const priceName = /^price:([\w.-]{1,50}):([\w.-]{1,50}):([\w./:-]{1,100})$/

/** Parses a prompt into a template, or into a list of at most 20 problems. */
export function parseTemplate(
  text: string,
): { template: Template; problems?: never } | { template?: never; problems: TemplateProblem[] } {
  const bytes = Buffer.byteLength(text)
  if (bytes > promptByteLimit) {
    const message = `The prompt has ${bytes} bytes; at most ${promptByteLimit} are allowed.`
    return { problems: [{ message, line: 1, column: 1 }] }
  }
  const found = split(text)
  const problems = found.filter((part) => 'message' in part)
  const template = found.filter((part): part is TemplatePart => !('message' in part))
  const prices = template.filter((part) => part.type === 'price').length
  if (prices > pricesPerPrompt) {
    problems.push({
      message: `The prompt has ${prices} prices; at most ${pricesPerPrompt} are allowed.`,
      line: 1,
      column: 1,
    })
  }
  return problems.length > 0 ? { problems: problems.slice(0, 20) } : { template }
}

function split(text: string): (TemplatePart | TemplateProblem)[] {
  const parts: (TemplatePart | TemplateProblem)[] = []
  const seen = new Set<string>()
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    if (open === -1) break
    if (open > at) parts.push({ type: 'text', text: text.slice(at, open) })
    const close = text.indexOf('}}', open + 2)
    if (close === -1) {
      return [...parts, { message: 'The placeholder has no end: }} is missing.', ...placeOf(text, open) }]
    }
    const part = readPlaceholder(text.slice(open + 2, close).trim())
    if (part?.type === 'value' && onceOnly.has(part.name) && seen.has(part.name)) {
      parts.push({ message: `{{${part.name}}} may appear only once in a prompt.`, ...placeOf(text, open) })
    } else {
      parts.push(part ?? unknown(text, open, close + 2))
    }
    if (part?.type === 'value') seen.add(part.name)
    at = close + 2
  }
  if (at < text.length) parts.push({ type: 'text', text: text.slice(at) })
  return parts
}

function readPlaceholder(inner: string): TemplatePart | undefined {
  const name = valueNames.find((one) => one === inner)
  if (name !== undefined) return { type: 'value', name }
  const [, exchange, service, pair] = priceName.exec(inner) ?? []
  if (exchange === undefined || service === undefined || pair === undefined) return undefined
  return { type: 'price', exchange: exchange.toLowerCase(), service: service.toLowerCase(), pair }
}

function unknown(text: string, open: number, end: number): TemplateProblem {
  const written = text.slice(open, Math.min(end, open + 60))
  const known = valueNames.map((name) => `{{${name}}}`).join(', ')
  const message = `There is no placeholder ${written}. The placeholders are ${known}, {{price:exchange:service:pair}}.`
  return { message, ...placeOf(text, open) }
}

function placeOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index)
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') }
}
