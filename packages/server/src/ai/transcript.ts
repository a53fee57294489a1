import type { Tokens } from './answer.ts'
import type { CallResult } from './gate.ts'
import { type Redact, redactStart } from './redaction.ts'

/** One event in a conversation with a model. `ms` counts from the beginning of the run. */
export type TranscriptEntry = { ms: number } & (
  | { type: 'prompt'; role: 'system' | 'user'; text: string }
  | { type: 'asked'; service: string; model: string; fallback: boolean }
  | { type: 'answer'; text: string; finish: string; tokens: Tokens | null }
  | { type: 'call'; tool: string; input: string }
  | { type: 'result'; tool: string; status: CallResult['status']; text: string }
  | { type: 'failure'; kind: string; text: string }
  /** `picture`: whether the model got it as a picture, which is kept beside the transcript. */
  | { type: 'chart'; text: string; picture: boolean }
  | { type: 'cut' }
)

/** The most UTF-8 bytes of a transcript as JSON, and the part of it that prompts and answers may fill. */
export const transcriptByteLimit = 64 * 1024
const wordsByteLimit = 48 * 1024
/** The most bytes of one prompt, and of any other entry. */
const promptLimit = 24 * 1024
const textLimit = 4 * 1024
const cutMark = '… (cut)'
/** Room for the entry that says something was left out. */
const reserved = 100

type Without<T> = T extends unknown ? Omit<T, 'ms'> : never

/** The record of a conversation, without secrets and of limited size. */
export class Transcript {
  #entries: TranscriptEntry[] = []
  #bytes = 2
  #wasCut = false
  #redact: Redact
  #startedMs: number

  constructor(redact: Redact, startedMs: number) {
    this.#redact = redact
    this.#startedMs = startedMs
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries
  }

  add(entry: Without<TranscriptEntry>): void {
    const whole = { ms: Math.round(performance.now() - this.#startedMs), ...entry } as TranscriptEntry
    const isWords = whole.type === 'prompt' || whole.type === 'answer'
    const room = (isWords ? wordsByteLimit : transcriptByteLimit - reserved) - this.#bytes
    const fitted = this.#fit(whole, whole.type === 'prompt' ? promptLimit : textLimit, room)
    if (fitted !== null) this.#push(fitted)
    else if (!this.#wasCut) {
      this.#wasCut = true
      this.#push({ ms: whole.ms, type: 'cut' })
    }
  }

  #push(entry: TranscriptEntry): void {
    this.#entries.push(entry)
    this.#bytes += sizeOf(entry) + 1
  }

  /** Redacts before cutting, so that no part of a secret stays. `null` if there is no room. */
  #fit(entry: TranscriptEntry, limit: number, room: number): TranscriptEntry | null {
    const texts = Object.entries(entry).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value]
      const most = name === 'text' || name === 'input' ? limit : 200
      const { text, isWhole } = redactStart(value, most, this.#redact)
      return [name, cut(text, most, isWhole)]
    })
    const fitted = Object.fromEntries(texts) as TranscriptEntry
    const over = sizeOf(fitted) + 1 - room
    if (over <= 0) return fitted
    if (!('text' in fitted)) return null
    // Each character that is cut saves at least one byte.
    const length = jsonBytes(fitted.text) - over - Buffer.byteLength(cutMark)
    return length < 200 ? null : { ...fitted, text: cut(fitted.text, length) }
  }
}

/** Cuts a text to at most `limit` bytes as JSON, including the mark. Without `isWhole`, it is the start of a longer one. */
function cut(text: string, limit: number, isWhole = true): string {
  if (isWhole && jsonBytes(text) <= limit) return text
  const room = limit - Buffer.byteLength(cutMark)
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += jsonBytes(character)
    if (bytes > room) break
    end += character.length
  }
  return `${text.slice(0, end)}${cutMark}`
}

function sizeOf(entry: TranscriptEntry): number {
  return Buffer.byteLength(JSON.stringify(entry))
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}
