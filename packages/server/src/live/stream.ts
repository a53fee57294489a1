import { Readable } from 'node:stream'
import type { Principal } from '../base/principal.ts'
import { eventText, heartbeatText, idLine, openingText } from './event-text.ts'
import { type Filter, filterKey } from './filter.ts'

/** What a reader that is too slow may leave unread. Beyond that, the stream drops events and says `resync`. */
const unreadLimit = 1024 * 1024
/** A reader that takes nothing between this many heartbeats, although something waits for it, is gone. */
const stalledBeats = 4
/** When a stream ends, a reader has this long to take the rest. */
const endMs = 250

/** Why a stream may lack events: its client has to read the records again. */
export type Gap = 'unknown_id' | 'slow_reader' | 'interrupted'

const heartbeatMs = 15_000

export type LiveStreamOptions = {
  principal: Principal
  selection: Filter
  /** Of how many symbols it sends prices. */
  symbolCount: number
  /** The id of the latest event, from which a client resumes. */
  latestId(): string
  /** Called once, however the stream ends. */
  onEnd(stream: LiveStream): void
}

/** The body of one response: a bounded text of server-sent events. */
export class LiveStream extends Readable {
  readonly principal: Principal
  readonly selection: Filter
  readonly selectionKey: string
  readonly symbolCount: number
  #latestId: () => string
  #onEnd: (stream: LiveStream) => void
  #heartbeat: NodeJS.Timeout
  /** Set while events are dropped. */
  #dropping = false
  /** Whether the reader has taken everything and waits for more. */
  #isWanted = false
  #isOver = false
  #givenBytes = 0
  #takenAtBeat = 0
  #idleBeats = 0
  /** The number of the change up to which the stream gets events from the past. */
  since = 0
  /** Until the stream has sent the past events, the new ones wait here. */
  #held: Buffer[] | undefined = []
  #heldBytes = 0

  constructor({ principal, selection, symbolCount, latestId, onEnd }: LiveStreamOptions) {
    super({ highWaterMark: 64 * 1024 })
    this.principal = principal
    this.selection = selection
    this.selectionKey = filterKey(selection)
    this.symbolCount = symbolCount
    this.#latestId = latestId
    this.#onEnd = onEnd
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
  }

  /** Sends the first text, so that the reader knows that the stream is open. */
  begin(id: string): void {
    this.#give(Buffer.from(openingText(id)))
  }

  /** Sends events, all or, if the reader is too slow, none. */
  send(events: Buffer): void {
    if (this.#dropping || this.destroyed) return
    const { length } = events
    if (this.readableLength + this.#heldBytes + length > unreadLimit) this.#drop()
    else if (this.#held === undefined) this.#give(events)
    else {
      this.#held.push(events)
      this.#heldBytes += length
    }
  }

  /** Sends past events, before those that wait. */
  sendPast(events: Buffer): void {
    this.#give(events)
  }

  /** The past events are sent. From now on, new ones do not wait. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    this.#heldBytes = 0
    for (const bytes of held) this.#give(bytes)
  }

  /** Resolves when the reader has taken almost everything; to `false` if the stream ends before. */
  async drained(): Promise<boolean> {
    while (!this.destroyed && this.readableLength > this.readableHighWaterMark) {
      await new Promise<void>((resolve) => {
        this.once('wanted', resolve)
        this.once('close', resolve)
      })
    }
    return !this.destroyed
  }

  /** Tells the reader that events are missing. */
  resync(reason: Gap): void {
    if (this.#dropping || this.destroyed) return
    this.#give(Buffer.from(idLine(this.#latestId()) + eventText('resync', { reason })))
  }

  /** Ends the response, even if its reader does not take the rest. */
  finish(): void {
    if (this.#isOver) return
    this.#end()
    this.push(null)
    setTimeout(() => this.destroy(), endMs)
  }

  override _read(): void {
    this.#isWanted = true
    this.emit('wanted')
    if (this.#dropping) this.#goOn()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#end()
    callback(error)
  }

  #drop(): void {
    this.#dropping = true
    if (this.#held !== undefined) this.#held = []
    this.#heldBytes = 0
    // After a burst that is too large on its own, a reader who waits already would not ask again.
    if (this.#isWanted) this.#goOn()
  }

  #goOn(): void {
    this.#dropping = false
    this.resync('slow_reader')
  }

  #give(bytes: Buffer): void {
    if (this.#isOver) return
    this.#isWanted = false
    this.#givenBytes += bytes.length
    this.push(bytes)
  }

  #beat(): void {
    const takenBytes = this.#givenBytes - this.readableLength
    this.#idleBeats = this.readableLength > 0 && takenBytes === this.#takenAtBeat ? this.#idleBeats + 1 : 0
    this.#takenAtBeat = takenBytes
    if (this.#idleBeats >= stalledBeats) this.destroy()
    else if (this.readableLength === 0 && this.#held === undefined) {
      this.#give(Buffer.from(heartbeatText(this.#latestId())))
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#heartbeat)
    this.#onEnd(this)
  }
}
