import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Change, Stored } from './changes.ts'

/** Each message is a {@link Message} as JSON. */
const changesChannel = 'tickwright_live'
/** Each message is `on`, `off` or `who` and the id of a node. */
const listenersChannel = 'tickwright_live_listeners'
/** NOTIFY accepts less than 8,000 bytes. */
const messageBytes = 7_000
/** Changes of this time go out together. */
const gatherMs = 20
/** A listening node says so this often, because a message can get lost. */
const repeatMs = 5_000
/** A node that has not said that it listens for this long is gone. */
const goneAfterMs = 15_000
/** Between the opening of a stream and the moment at which every node knows of it: it gets the changes of this time. */
const earlierMs = 2_000
const earlierLimit = 2_000
/** Changes that wait while the database cannot be reached. */
const waitingLimit = 20_000
const retryMs = 500

/** `lost`: the sender has dropped changes. */
type Message = { from: string; lost?: true; changes: Change[] }

export type Listening = {
  /** @param stored absent for changes of other nodes */
  onChange(change: Change, stored?: Stored): void
  /** Changes of other nodes may be missing. */
  onGap(): void
}

/**
 * Carries changes to the streams of this node and, while other nodes have streams, to those nodes. While nobody
 * listens, it only keeps the changes of the last two seconds.
 */
export class Announcer {
  #database: Database
  #onError: (error: unknown) => void
  #id = randomUUID()
  #listening: Listening | undefined
  #repeat: NodeJS.Timeout | undefined
  /** The other nodes that listen, and when each last said so. */
  #others = new Map<string, number>()
  #earlier: { change: Change; atMs: number }[] = []
  /** `#earlier` has every change since then. */
  #earlierSinceMs = Number.NEGATIVE_INFINITY
  #waiting: Change[] = []
  #hasLost = false
  #sending: NodeJS.Timeout | undefined
  #sent: Promise<void> = Promise.resolve()
  #closed = false

  private constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
  }

  static async open(database: Database, onError: (error: unknown) => void): Promise<Announcer> {
    const announcer = new Announcer(database, onError)
    const askAgain = () => {
      announcer.#tell('who')
      if (announcer.#listening !== undefined) announcer.#tell('on')
    }
    await database.listen(listenersChannel, (text) => announcer.#hearListener(text), askAgain)
    await database.listen(
      changesChannel,
      (text) => announcer.#hear(text),
      () => announcer.#listening?.onGap(),
    )
    await announcer.#say('who')
    return announcer
  }

  /** Call it after the commit. */
  announce = (change: Change, stored?: Stored): void => {
    this.#listening?.onChange(change, stored)
    if (this.#others.size > 0) this.#send(change)
    else this.#keep(change)
  }

  /** From now on, this node gets the changes of all nodes. */
  async listen(listening: Listening): Promise<void> {
    this.#listening = listening
    this.#repeat ??= setInterval(() => this.#tell('on'), repeatMs).unref()
    await this.#say('on')
  }

  unlisten(): void {
    if (this.#listening === undefined) return
    this.#listening = undefined
    clearInterval(this.#repeat)
    this.#repeat = undefined
    this.#tell('off')
  }

  /** Stops listening, and sends what still waits. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#repeat)
    clearTimeout(this.#sending)
    if (this.#listening !== undefined) await this.#say('off').catch(this.#onError)
    await this.#sent
    await this.#sendWaiting()
  }

  #hearListener(text: string): void {
    const [word, id = ''] = text.split(' ')
    if (id === this.#id) return
    if (word === 'who' && this.#listening !== undefined) this.#tell('on')
    if (word === 'off') this.#others.delete(id)
    if (word !== 'on') return
    const isFirst = this.#others.size === 0
    this.#others.set(id, performance.now())
    if (isFirst) this.#sendEarlier()
  }

  /** Changes from the time before this node knew that someone listens. */
  #sendEarlier(): void {
    const sinceMs = performance.now() - earlierMs
    const earlier = this.#earlier
    this.#earlier = []
    if (this.#earlierSinceMs > sinceMs && earlier.length > 0) this.#hasLost = true
    for (const { change, atMs } of earlier) if (atMs >= sinceMs) this.#send(change)
  }

  #keep(change: Change): void {
    const atMs = performance.now()
    this.#earlier.push({ change, atMs })
    // Half at a time, so that each change costs the same, however many there are.
    if (this.#earlier.length < earlierLimit && this.#earlier[0]!.atMs >= atMs - 2 * earlierMs) return
    const recent = this.#earlier.filter((kept) => kept.atMs >= atMs - earlierMs)
    this.#earlier = recent.slice(-earlierLimit / 2)
    this.#earlierSinceMs = recent.length > earlierLimit / 2 ? this.#earlier[0]!.atMs : atMs - earlierMs
  }

  #hear(text: string): void {
    if (this.#listening === undefined) return
    const { from, lost, changes } = JSON.parse(text) as Message
    if (from === this.#id) return
    if (lost) this.#listening.onGap()
    for (const change of changes) this.#listening.onChange(change)
  }

  #send(change: Change): void {
    if (this.#waiting.length >= waitingLimit) {
      this.#waiting = []
      this.#hasLost = true
    }
    this.#waiting.push(change)
    this.#sendIn(gatherMs)
  }

  #sendIn(ms: number): void {
    if (this.#sending !== undefined || this.#closed) return
    this.#sending = setTimeout(() => {
      this.#sent = this.#sendWaiting()
    }, ms)
    this.#sending.unref()
  }

  async #sendWaiting(): Promise<void> {
    const quietSinceMs = performance.now() - goneAfterMs
    for (const [id, heardMs] of this.#others) if (heardMs < quietSinceMs) this.#others.delete(id)
    if (this.#others.size === 0) this.#waiting = []
    let failed = false
    try {
      while (this.#waiting.length > 0) await this.#sendSome()
    } catch (error) {
      failed = true
      this.#onError(error)
    }
    this.#sending = undefined
    if (this.#waiting.length > 0) this.#sendIn(failed ? retryMs : gatherMs)
  }

  async #sendSome(): Promise<void> {
    const { count, text } = packed(
      { from: this.#id, ...(this.#hasLost ? { lost: true } : {}) },
      this.#waiting,
    )
    const sent = this.#waiting.splice(0, count)
    try {
      await this.#database.notify(changesChannel, text)
      this.#hasLost = false
    } catch (error) {
      this.#waiting.unshift(...sent)
      throw error
    }
  }

  #tell(word: 'on' | 'off' | 'who'): void {
    this.#say(word).catch(this.#onError)
  }

  #say(word: 'on' | 'off' | 'who'): Promise<void> {
    return this.#database.notify(listenersChannel, `${word} ${this.#id}`)
  }
}

/** As many of the changes as fit into one message. */
function packed(head: Omit<Message, 'changes'>, changes: Change[]): { count: number; text: string } {
  const parts: string[] = []
  let bytes = 0
  for (const change of changes) {
    const part = JSON.stringify(change)
    bytes += Buffer.byteLength(part) + 1
    if (bytes > messageBytes && parts.length > 0) break
    parts.push(part)
  }
  return { count: parts.length, text: `${JSON.stringify(head).slice(0, -1)},"changes":[${parts.join(',')}]}` }
}
