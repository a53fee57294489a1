import { type ScannedPiece, scanPrompt } from './template-scan.ts'
import { toonOf } from './toon.ts'

/** The most UTF-8 bytes in a prompt: as it is written, and again with its own values filled in. */
export const promptByteLimit = 1024 * 1024

/** The run waits for all prices and pages, and a save for its JSON in TOON notation. */
const mostOf = { placeholder: 10_000, price: 10, page: 5, '{{toon:…}}': 100 } as const
/** The most characters of all JSON that a prompt itself has in the TOON notation. */
const toonLimit = 64 * 1024
/** The most characters of the address of a page. */
const addressLimit = 2_000
const mostProblems = 20

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

/** The values that only a run for a payload has. */
const ofPayload: ReadonlySet<string> = new Set(['data', 'headers', 'ip'] satisfies ValueName[])

/** Values from outside that can be long: each may appear once. */
const onceOnly: ReadonlySet<string> = new Set(['data', 'headers', 'ip', 'storage'] satisfies ValueName[])
/** Values that are JSON. */
const jsonNames: ReadonlySet<string> = new Set(['data', 'headers', 'storage'] satisfies ValueName[])

/** `exchange` and `service` as in `$.Price`, in lower case. */
export type PriceName = { exchange: string; service: string; pair: string }

/** `isToon`: shown in the TOON notation if it is JSON. */
export type TemplatePart =
  | { type: 'text'; text: string }
  | { type: 'value'; name: ValueName; isToon: boolean }
  | { type: 'page'; url: string; isToon: boolean }
  | ({ type: 'price' } & PriceName)

/** A parsed prompt. Values are filled in after parsing, so a value cannot add placeholders. */
export type Template = readonly TemplatePart[]

/** `line` and `column` count from 1, in UTF-16 units. */
export type TemplateProblem = { message: string; line: number; column: number }

/**
 * Parses a prompt into a template, or into a list of at most 20 problems. Takes time in proportion to its length.
 * @param hasPayload whether a payload triggers the runs; without one, a placeholder for it is a problem
 */
export function parseTemplate(
  text: string,
  { hasPayload = true }: { hasPayload?: boolean } = {},
): { template: Template; problems?: never } | { template?: never; problems: TemplateProblem[] } {
  const bytes = Buffer.byteLength(text)
  if (bytes > promptByteLimit) {
    const message = `The prompt has ${bytes} bytes; at most ${promptByteLimit} are allowed.`
    return { problems: [{ message, line: 1, column: 1 }] }
  }
  const reader = new TemplateReader(text, hasPayload)
  const template = reader.read()
  return reader.problems.length > 0 ? { problems: placesOf(text, reader.problems) } : { template }
}

/** `at` is an index of the text. */
type Problem = { message: string; at: number }

/** A part; or the use of a value that the prompt defines, perhaps further down. */
type Piece = TemplatePart | { type: 'own'; name: string; isToon: boolean; at: number }

const ownName = /^[A-Za-z_][\w-]{0,49}$/
const priceName = /^([\w.-]{1,50}):([\w.-]{1,50}):([\w./:-]{1,100})$/
const taken: ReadonlySet<string> = new Set([...valueNames, 'price', 'get', 'val', 'toon', 'comment'])

/** What is wrong with a placeholder, as a sentence; `undefined` if nothing is. */
type Complaint = string | undefined

class TemplateReader {
  readonly problems: Problem[] = []
  #text: string
  /** The names of the values that a run has. */
  #names: readonly ValueName[]
  #pieces: Piece[] = []
  /** What the prompt defines. */
  #own = new Map<string, string>()
  #seen = new Set<string>()
  #counts = { placeholder: 0, price: 0, page: 0, '{{toon:…}}': 0 }
  #toonLength = 0

  constructor(text: string, hasPayload: boolean) {
    this.#text = text
    this.#names = hasPayload ? valueNames : valueNames.filter((name) => !ofPayload.has(name))
  }

  /** The template, which is meaningless if there are problems. */
  read(): Template {
    for (const piece of scanPrompt(this.#text)) {
      if (piece.type === 'text') this.#pieces.push(piece)
      else this.#note(this.#count('placeholder') ?? this.#readPiece(piece), piece.at)
      const isFull = this.#counts.placeholder > mostOf.placeholder
      if (isFull || this.problems.length >= mostProblems) return []
    }
    return this.#withOwnValues()
  }

  #readPiece(piece: Exclude<ScannedPiece, { type: 'text' }>): Complaint {
    if (piece.type === 'unclosed') return 'The placeholder has no end: }} is missing.'
    return piece.type === 'comment' ? undefined : this.#readPlaceholder(piece.inner, piece.at)
  }

  #readPlaceholder(inner: string, at: number): Complaint {
    const colon = inner.indexOf(':')
    const word = inner.slice(0, colon === -1 ? undefined : colon).trimEnd()
    const argument = colon === -1 ? undefined : inner.slice(colon + 1).trimStart()
    if (word === 'toon' && argument !== undefined) return this.#addToon(argument, at)
    if (inner.includes('{{')) {
      const rule = 'A placeholder cannot be in another one, except in {{comment:…}} and {{toon:…}}'
      return `${rule}: ${this.#shown(at)}`
    }
    if (argument === undefined) return this.#addName(word, at, false)
    if (word === 'val') return this.#define(argument, at)
    if (word === 'get') return this.#addPage(argument, at, false)
    if (word === 'price') return this.#addPrice(argument, at)
    return this.#unknown(at)
  }

  #addName(name: string, at: number, isToon: boolean): Complaint {
    const known = valueNames.find((one) => one === name)
    if (known === undefined) return this.#addOwn(name, at, isToon)
    if (!this.#names.includes(known)) {
      return `{{${known}}} stands for a part of a payload, but a schedule triggers these runs, so they have none. Remove it.`
    }
    if (onceOnly.has(known) && this.#seen.has(known)) return `{{${known}}} may appear only once in a prompt.`
    this.#seen.add(known)
    this.#pieces.push({ type: 'value', name: known, isToon })
    return undefined
  }

  #addOwn(name: string, at: number, isToon: boolean): Complaint {
    if (!ownName.test(name) || taken.has(name)) return this.#unknown(at)
    this.#pieces.push({ type: 'own', name, isToon, at })
    return undefined
  }

  #addPrice(argument: string, at: number): Complaint {
    const [, exchange, service, pair] = priceName.exec(argument) ?? []
    if (exchange === undefined || service === undefined || pair === undefined) return this.#unknown(at)
    const names = { exchange: exchange.toLowerCase(), service: service.toLowerCase(), pair }
    this.#pieces.push({ type: 'price', ...names })
    return this.#count('price')
  }

  #addPage(url: string, at: number, isToon: boolean): Complaint {
    const problem = addressProblem(url)
    if (problem !== null) {
      const example = '{{get:https://example.com/news.json}}'
      return `The address in ${this.#shown(at)} ${problem}, as in ${example}.`
    }
    this.#pieces.push({ type: 'page', url, isToon })
    return this.#count('page')
  }

  #define(argument: string, at: number): Complaint {
    const equals = argument.indexOf('=')
    const name = equals === -1 ? '' : argument.slice(0, equals).trim()
    if (!ownName.test(name)) {
      const rule = 'A name starts with a letter or _, and has at most 50 letters, digits, _ and -'
      return `${this.#shown(at)} is not of the form {{val:name=value}}. ${rule}.`
    }
    if (taken.has(name)) return `{{${name}}} has a meaning of its own. Give the value another name.`
    if (this.#own.has(name)) return `{{val:${name}=…}} may appear only once in a prompt.`
    this.#own.set(name, argument.slice(equals + 1).trim())
    return undefined
  }

  /** The argument is JSON, or a placeholder with or without its braces. */
  #addToon(argument: string, at: number): Complaint {
    const [, braced] = /^\{\{([^{}]*)\}\}$/.exec(argument) ?? []
    const source = (braced ?? argument).trim()
    if (source.startsWith('get:')) return this.#addPage(source.slice(4).trimStart(), at, true)
    if (jsonNames.has(source)) return this.#addName(source, at, true)
    if (ownName.test(source) && !taken.has(source)) return this.#addOwn(source, at, true)
    const { text, complaint } = this.#toonOf(argument, at)
    this.#pieces.push({ type: 'text', text })
    return complaint
  }

  /** JSON of the prompt itself in the TOON notation. */
  #toonOf(json: string, at: number): { text: string; complaint?: Complaint } {
    const many = this.#count('{{toon:…}}')
    if (many !== undefined) return { text: '', complaint: many }
    this.#toonLength += json.length
    if (this.#toonLength > toonLimit) {
      const rule = `The JSON in {{toon:…}} of a prompt may have ${toonLimit} characters in total`
      return { text: '', complaint: `${rule}. Here they exceed that.` }
    }
    const text = toonOf(json)
    if (text !== undefined) return { text }
    const names = this.#names.filter((name) => jsonNames.has(name)).map((name) => `{{${name}}}`)
    const sources = [...names, '{{get:URL}}', 'the name of a value that is JSON'].join(', ')
    const rule = `{{toon:…}} takes ${sources}, or a list or object of JSON with at most 16 levels`
    return { text: '', complaint: `${rule}. ${this.#shown(at)} has none of these.` }
  }

  /** The parts, with the prompt's own values in their places. */
  #withOwnValues(): Template {
    const toons = new Map<string, string>()
    const sizes = new Map<string, number>()
    const template: TemplatePart[] = []
    let bytes = 0
    for (const piece of this.#pieces) {
      if (piece.type !== 'own') append(template, piece)
      else {
        const { name, isToon, at } = piece
        const text = isToon
          ? remembered(toons, name, () => this.#ownToon(name, at))
          : this.#ownValue(name, at)
        append(template, { type: 'text', text })
        bytes += remembered(sizes, `${isToon}${name}`, () => Buffer.byteLength(text))
        if (bytes > promptByteLimit) {
          const message = `With its own values filled in, the prompt has more than ${promptByteLimit} bytes`
          this.#note(`${message}; at most that many are allowed.`, at)
        }
      }
      if (bytes > promptByteLimit || this.problems.length >= mostProblems) break
    }
    return template
  }

  #ownValue(name: string, at: number): string {
    const value = this.#own.get(name)
    if (value === undefined) this.#note(`${this.#unknown(at)} To define it, write {{val:${name}=value}}.`, at)
    return value ?? ''
  }

  #ownToon(name: string, at: number): string {
    const value = this.#ownValue(name, at)
    if (!this.#own.has(name)) return ''
    const { text, complaint } = this.#toonOf(value, at)
    this.#note(complaint, at)
    return text
  }

  #note(complaint: Complaint, at: number): void {
    if (complaint !== undefined) this.problems.push({ message: complaint, at })
  }

  #count(what: keyof typeof mostOf): Complaint {
    this.#counts[what] += 1
    const most = mostOf[what]
    if (this.#counts[what] <= most) return undefined
    return `This is ${what} number ${this.#counts[what]} of the prompt; at most ${most} are allowed.`
  }

  #unknown(at: number): string {
    const own = [...this.#own.keys()].slice(0, 20)
    const known = [...this.#names, 'price:exchange:service:pair', 'get:URL', 'toon:…', 'val:name=value']
    const list = [...known, 'comment:…', '#:…', ...own].map((one) => `{{${one}}}`).join(', ')
    return `There is no placeholder ${this.#shown(at)}. The placeholders are ${list}.`
  }

  #shown(at: number): string {
    const end = this.#text.indexOf('}}', at) + 2
    return this.#text.slice(at, Math.min(end < 2 ? at + 60 : end, at + 60)).toWellFormed()
  }
}

/** Text after text makes one part. */
function append(template: TemplatePart[], part: TemplatePart): void {
  const last = template.at(-1)
  if (part.type === 'text' && last?.type === 'text') {
    template[template.length - 1] = { type: 'text', text: last.text + part.text }
  } else template.push(part)
}

/** What is wrong with the address of a page, as the end of a sentence; `null` if it can be asked. */
export function addressProblem(url: string): string | null {
  if (url.length > addressLimit) return `may have at most ${addressLimit} characters`
  const read = /\s/.test(url) ? null : URL.parse(url)
  return read?.protocol === 'http:' || read?.protocol === 'https:'
    ? null
    : 'must be an absolute http: or https: one'
}

/** In order of the text, with lines and columns. */
function placesOf(text: string, problems: readonly Problem[]): TemplateProblem[] {
  let line = 1
  let lineStart = 0
  return [...problems]
    .sort((one, other) => one.at - other.at)
    .slice(0, mostProblems)
    .map(({ message, at }) => {
      for (;;) {
        const end = text.indexOf('\n', lineStart)
        if (end === -1 || end >= at) break
        line += 1
        lineStart = end + 1
      }
      return { message, line, column: at - lineStart + 1 }
    })
}

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
