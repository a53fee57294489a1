/** The transcript of a run as a conversation: who said what, and what came from outside. */

/** An entry as the API has it. */
export type Entry = { ms: number; type: string; text?: string | undefined; [field: string]: unknown }

/** A piece of a prompt. `outside` names the placeholder whose value it is; `host` is the server that a page came from. */
export type PromptPart = { text: string; outside: string | null; host?: string | undefined }

type Tokens = { input: number; output: number }
type Result = { ms: number; status: string; text: string }

export type Turn = { ms: number } & (
  | { kind: 'prompt'; isService: boolean; parts: PromptPart[] }
  | { kind: 'asked'; service: string; model: string; isFallback: boolean }
  | { kind: 'answer'; text: string; finish: string | null; tokens: Tokens | null }
  | { kind: 'call'; tool: string; input: string; result: Result | null }
  | { kind: 'failure'; name: string; text: string }
  /** `picture`: a PNG in Base64, if the model saw one. */
  | { kind: 'chart'; text: string; picture: string | null }
  | { kind: 'cut' }
  | { kind: 'other'; text: string }
)

/** Brings the entries into the form of a conversation. Each call has its result with it. */
export function conversationOf(entries: readonly Entry[]): Turn[] {
  const turns: Turn[] = []
  const boundary = boundaryOf(entries)
  for (const entry of entries) {
    const last = turns.at(-1)
    if (
      entry.type === 'result' &&
      last?.kind === 'call' &&
      last.result === null &&
      last.tool === entry.tool
    ) {
      last.result = { ms: entry.ms, status: textOf(entry.status), text: entry.text ?? '' }
    } else turns.push(turnOf(entry, boundary))
  }
  return turns
}

function turnOf(entry: Entry, boundary: string | undefined): Turn {
  const { ms, type, text = '' } = entry
  switch (type) {
    case 'prompt': {
      const isService = entry.role === 'system'
      return { ms, kind: 'prompt', isService, parts: isService ? [own(text)] : promptParts(text, boundary) }
    }
    case 'asked':
      return {
        ...{ ms, kind: 'asked', service: textOf(entry.service), model: textOf(entry.model) },
        isFallback: entry.fallback === true,
      }
    case 'answer':
      return { ms, kind: 'answer', text, finish: finishText(entry.finish), tokens: readTokens(entry.tokens) }
    case 'call':
      return { ms, kind: 'call', tool: textOf(entry.tool), input: textOf(entry.input), result: null }
    case 'failure':
      return { ms, kind: 'failure', name: textOf(entry.kind), text }
    case 'chart':
      return { ms, kind: 'chart', text, picture: textOf(entry.picture) || null }
    case 'cut':
      return { ms, kind: 'cut' }
    default:
      return { ms, kind: 'other', text: JSON.stringify(entry) }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function own(text: string): PromptPart {
  return { text, outside: null }
}

/** The secret name of the blocks of this run, which the service tells the model in its rules. */
function boundaryOf(entries: readonly Entry[]): string | undefined {
  const rules = entries.find(({ type, role }) => type === 'prompt' && role === 'system')?.text
  return rules === undefined ? undefined : /<(untrusted-[^>]+)>/.exec(rules)?.[1]
}

/** Splits a prompt into words of its owner and values from outside, which cannot contain the end of their block. */
function promptParts(text: string, boundary: string | undefined): PromptPart[] {
  if (boundary === undefined) return [own(text)]
  const parts: PromptPart[] = []
  let at = 0
  for (;;) {
    const begin = text.indexOf(`<${boundary} name="`, at)
    if (begin === -1) break
    const [open, name, host] = blockStart.exec(text.slice(begin, begin + 400)) ?? []
    if (open === undefined || name === undefined) break
    if (begin > at) parts.push(own(text.slice(at, begin)))
    const end = text.indexOf(`</${boundary}>`, begin)
    // A transcript that was cut may have no end.
    const value = text.slice(begin + open.length, end === -1 ? undefined : end)
    parts.push({ text: value.replace(/\n$/, ''), outside: name, ...(host !== undefined && { host }) })
    if (end === -1) return parts
    at = end + boundary.length + 3
  }
  if (at < text.length) parts.push(own(text.slice(at)))
  return parts
}

const blockStart = /^<[^>]*? name="(\w*)"(?: from="([^"]*)")?[^>]*>\n?/

const finishes: Record<string, string> = {
  length: 'It was cut off at its limit.',
  'content-filter': 'The provider held it back.',
  interrupted: 'It is incomplete.',
  error: 'The provider interrupted it.',
}

/** Why an answer ended, if that is worth a word. */
function finishText(finish: unknown): string | null {
  return finishes[textOf(finish)] ?? null
}

function readTokens(value: unknown): Tokens | null {
  if (typeof value !== 'object' || value === null) return null
  const { input, output } = value as Record<string, unknown>
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : null
}

/** All tokens that the provider reported; `null` if it reported none. */
export function tokensOf(turns: readonly Turn[]): Tokens | null {
  const reported = turns.flatMap((turn) =>
    turn.kind === 'answer' && turn.tokens !== null ? turn.tokens : [],
  )
  if (reported.length === 0) return null
  return {
    input: reported.reduce((sum, { input }) => sum + input, 0),
    output: reported.reduce((sum, { output }) => sum + output, 0),
  }
}

const outsiders: Record<string, string> = {
  data: 'payload',
  headers: 'headers',
  ip: 'address',
}

/** Who wrote a value, and what it is. What runs have stored may quote senders and models. */
export function originOf(name: string, host = 'another server'): { from: string; what: string } {
  if (name === 'page') return { from: host, what: 'page' }
  if (name === 'candles' || name === 'chart') return { from: 'the exchange', what: name }
  if (name === 'storage') return { from: 'earlier runs', what: 'stored value' }
  return { from: 'the sender', what: outsiders[name] ?? name }
}
