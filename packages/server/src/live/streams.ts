import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'
import { isDatabaseAway } from '../base/failures.ts'
import type { Principal } from '../base/principal.ts'
import type { Announcer } from './announcer.ts'
import { type Change, keyOf, type Stored } from './changes.ts'
import { type CredentialCheck, CredentialChecks } from './credential-checks.ts'
import { eventText, idLine } from './event-text.ts'
import { type Filter, passes } from './filter.ts'
import { Gathering } from './gathering.ts'
import { type FollowPrice, type PricedSymbol, sendPrices } from './prices.ts'
import { RecentChanges } from './recent-changes.ts'
import { type Event, type Listeners, latestOf, type Numbered, readAll, type Sources } from './source.ts'
import { type Gap, LiveStream } from './stream.ts'

/** A client can resume from any of these. */
const recentLimit = 20_000
/** Changes whose records are read at once. */
const batchLimit = 500
/** What this node has stored may wait until its events are made, up to this size; the rest is read again. */
const storedLimit = 8 * 1024 * 1024
/** Past changes whose records are read at once, for one stream. */
const pastLimit = 200
/**
 * Changes are gathered for at least this long, so that a busy moment costs few reads and writes. While more than one
 * change comes in each millisecond, the pace slows down: otherwise small reads and writes would take a fifth of the time
 * that the runs need.
 */
const paceMs = { least: 10, ofChange: 1, most: 200 }
/**
 * Changes wait until the runs that were queued among them have ended: then being queued and having ended is one event, and
 * reading does not compete with the run. While a run takes longer, or on a busy node, they wait at most so long.
 */
const calmMs = { least: 2, most: 25 }
const retryMs = 250
/** After the last stream of this node, the node listens for this long, so that its client can resume. */
const lingerMs = 30_000
/** Prices that all streams of a user on this node may follow. */
const symbolsOfUser = 200

export type LiveStreamsParts = {
  announcer: Announcer
  sources: Sources
  check: CredentialCheck
  /** How many streams a user may have on this node, and how many this node may have. */
  limits: { ofUser: number; ofNode: number }
  followPrice: FollowPrice
  onError(error: unknown): void
}

export type OpenOptions = {
  /** The id of the last event that the client has seen. */
  lastId?: string | undefined
  /** Whose prices the stream sends. */
  symbols?: readonly PricedSymbol[]
}

/** The streams of this node. It reads the record of each change once for each user who listens. */
export class LiveStreams {
  #parts: LiveStreamsParts
  #byUser = new Map<number, Set<LiveStream>>()
  #count = 0
  #recent = new RecentChanges(recentLimit)
  /** Changes whenever this node may have missed something, so that nobody resumes from before. */
  #epoch = newEpoch()
  #waiting: Numbered[] = []
  #storedBytes = 0
  /** The records among the waiting changes that most likely change again within milliseconds. */
  #goingOn = new Set<string>()
  /** Called when there are none left. */
  #onCalm: (() => void) | undefined
  #isReading = false
  #isListening: Promise<void> | undefined
  #linger: NodeJS.Timeout | undefined
  #credentials: CredentialChecks
  #closed = false

  constructor(parts: LiveStreamsParts) {
    this.#parts = parts
    this.#credentials = new CredentialChecks(parts.check, parts.onError)
  }

  /** The number of open streams. */
  get count(): number {
    return this.#count
  }

  /**
   * Opens a stream. From then on, it gets every event that the user may see and the filter selects.
   * @throws {AppError} 400 for an unknown exchange; 401 if the session or the key has ended meanwhile; 429 if there are too many streams; 503 while
   * the service stops
   */
  async open(principal: Principal, filter: Filter, { lastId, symbols = [] }: OpenOptions = {}) {
    const stream = this.#admit(principal, filter, symbols.length)
    try {
      await Promise.all([this.#listen(), this.#credentials.add(stream)])
      sendPrices(stream, symbols, this.#parts.followPrice)
    } catch (error) {
      stream.destroy()
      throw error
    }
    this.#begin(stream, lastId)
    return stream
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#linger)
    this.#credentials.close()
    for (const stream of this.#all()) stream.finish()
  }

  #admit(principal: Principal, filter: Filter, symbolCount: number): LiveStream {
    const { ofUser, ofNode } = this.#parts.limits
    if (this.#closed) throw new AppError('service_unavailable', 'The service is stopping.')
    const ofThisUser = this.#byUser.get(principal.userId) ?? new Set()
    if (ofThisUser.size >= ofUser)
      throw tooMany(`You have ${ofUser} live streams here already, the most allowed.`)
    if (this.#count >= ofNode) throw tooMany('This node has no room for another live stream.')
    const followed = [...ofThisUser].reduce((sum, stream) => sum + stream.symbolCount, symbolCount)
    if (followed > symbolsOfUser) {
      throw tooMany(`Your live streams may follow ${symbolsOfUser} prices here, not ${followed}.`)
    }
    const stream = new LiveStream({
      principal,
      symbolCount,
      selection: filter,
      latestId: () => this.#idOf(this.#recent.last),
      onEnd: (ended) => this.#forget(ended),
    })
    this.#byUser.set(principal.userId, ofThisUser.add(stream))
    this.#count++
    stream.since = this.#recent.last
    clearTimeout(this.#linger)
    return stream
  }

  #forget(stream: LiveStream): void {
    const { userId } = stream.principal
    const ofThisUser = this.#byUser.get(userId)
    if (ofThisUser?.delete(stream) !== true) return
    if (ofThisUser.size === 0) this.#byUser.delete(userId)
    this.#count--
    this.#credentials.remove(stream)
    if (this.#count === 0 && !this.#closed) {
      this.#linger = setTimeout(() => this.#unlisten(), lingerMs).unref()
    }
  }

  /** Waits until the database has told the other nodes. If that fails, the next stream tries again. */
  #listen(): Promise<void> {
    this.#isListening ??= this.#parts.announcer
      .listen({
        onChange: (change, stored) => this.#take(change, stored),
        onGap: () => this.#resyncAll('interrupted'),
      })
      .catch((error: unknown) => {
        this.#isListening = undefined
        throw error
      })
    return this.#isListening
  }

  #unlisten(): void {
    this.#isListening = undefined
    this.#parts.announcer.unlisten()
    this.#epoch = newEpoch()
  }

  #idOf(number: number): string {
    return `${this.#epoch}.${number}`
  }

  #resyncAll(reason: Gap): void {
    this.#epoch = newEpoch()
    for (const stream of this.#all()) stream.resync(reason)
  }

  #take(change: Change, stored?: Stored): void {
    const number = this.#recent.add(change)
    if (this.#count === 0) return
    if (stored?.goesOn) this.#goingOn.add(keyOf(change))
    else this.#goingOn.delete(keyOf(change))
    this.#storedBytes += stored?.sizeBytes ?? 0
    this.#waiting.push({ change, number, stored: this.#storedBytes > storedLimit ? undefined : stored })
    if (this.#waiting.length > recentLimit) {
      this.#waiting = []
      this.#goingOn.clear()
      this.#storedBytes = 0
      this.#resyncAll('interrupted')
    }
    if (this.#goingOn.size === 0) this.#onCalm?.()
    if (!this.#isReading) void this.#readWaiting()
  }

  async #readWaiting(): Promise<void> {
    this.#isReading = true
    while (this.#waiting.length > 0) {
      const startedMs = performance.now()
      await this.#untilCalm(startedMs + calmMs.most)
      const gathered = this.#waiting
      this.#waiting = []
      this.#storedBytes = 0
      await this.#sendAll(gathered)
      const pace = Math.min(Math.max(paceMs.least, gathered.length * paceMs.ofChange), paceMs.most)
      const restMs = pace - (performance.now() - startedMs)
      if (restMs > 0) await sleep(restMs)
    }
    this.#isReading = false
  }

  async #untilCalm(latestMs: number): Promise<void> {
    await sleep(calmMs.least)
    if (this.#goingOn.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, Math.max(0, latestMs - performance.now()))
      this.#onCalm = resolve
      await promise
      this.#onCalm = undefined
      clearTimeout(timer)
      // What waited for the same commit goes on first.
      await nextTurn()
    }
    this.#goingOn.clear()
  }

  async #sendAll(gathered: Numbered[]): Promise<void> {
    const gathering = new Gathering(this.#byUser, gathered[0]!.number)
    const latest = latestOf(gathered)
    for (let at = 0; at < latest.length; at += batchLimit) {
      const batch = latest.slice(at, at + batchLimit)
      const events = await this.#read(batch, new Set(this.#byUser.keys()))
      const id = this.#idOf(batch.at(-1)!.number)
      if (events === undefined) {
        await gathering.sendAll(id)
        this.#resyncAll('interrupted')
      }
      for (const event of events ?? []) gathering.add(event)
      await gathering.sendMuch(id)
      await nextTurn()
    }
    await gathering.sendAll(this.#idOf(gathered.at(-1)!.number))
  }

  /** Waits while the database cannot be reached. @returns `undefined` if it cannot read them */
  async #read(changes: Numbered[], listeners: Listeners): Promise<Event[] | undefined> {
    let isReported = false
    while (this.#count > 0) {
      try {
        return await readAll(this.#parts.sources, changes, listeners)
      } catch (error) {
        if (!isReported) this.#parts.onError(error)
        isReported = true
        if (!isDatabaseAway(error)) return undefined
        await sleep(retryMs)
      }
    }
    return []
  }

  #begin(stream: LiveStream, lastId: string | undefined): void {
    const number = lastId === undefined ? stream.since : this.#numberOf(lastId)
    stream.begin(this.#idOf(number ?? stream.since))
    if (number === undefined) stream.resync('unknown_id')
    if (number === undefined || number === stream.since) stream.release()
    else this.#sendPast(stream, number).catch(this.#parts.onError)
  }

  /** Sends the events between the last one that the client has seen and the opening of the stream. */
  async #sendPast(stream: LiveStream, from: number): Promise<void> {
    const { userId } = stream.principal
    for (let seen = from; seen < stream.since && (await stream.drained()); ) {
      const changes = this.#recent.after(seen, stream.since, pastLimit)
      const events = changes && (await this.#read(latestOf(changes), new Set([userId])))
      if (changes === undefined || events === undefined) {
        stream.resync('unknown_id')
        break
      }
      seen += changes.length
      const texts = events.flatMap(({ change: { kind }, found }) =>
        found
          .filter((one) => one.userId === null || one.userId === userId)
          .filter((one) => passes(stream.selection, kind, one))
          .map((one) => Buffer.from(eventText(kind, one.record))),
      )
      const id = Buffer.from(idLine(this.#idOf(seen)))
      if (texts.length > 0) stream.sendPast(Buffer.concat(texts.toSpliced(-1, 0, id)))
    }
    stream.release()
  }

  /** The number of an event by its id; `undefined` if this node may have missed something since. */
  #numberOf(id: string): number | undefined {
    const [epoch, digits = ''] = id.split('.')
    const number = Number(digits)
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(digits)) return undefined
    return this.#recent.has(number) ? number : undefined
  }

  #all(): LiveStream[] {
    return [...this.#byUser.values()].flatMap((streams) => [...streams])
  }
}

function newEpoch(): string {
  return randomUUID().slice(0, 8)
}

function tooMany(message: string): AppError {
  return new AppError('rate_limited', message, { retryAfterSeconds: 10 })
}
