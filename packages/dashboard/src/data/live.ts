import type { LiveEvent } from '@tickwright/client'
import { ApiError } from '@tickwright/client'
import { client } from './client.ts'
import { isEndOfSession } from './explain.ts'
import { holding } from './holding.ts'
import { sessionEnded } from './session-state.ts'

/**
 * What happens in the account, as it happens. All tabs of a browser share one stream: one of them holds it, and tells
 * the others. If that tab is closed, the next one takes over. Browsers allow few connections to one host, so a stream
 * for each tab would soon stop every page.
 */

/** `open`: what pages show is current. `waiting`: the stream is being connected again. */
export type LiveState = { status: 'open' } | { status: 'waiting'; since: number }

type Connection = { events: AsyncIterable<LiveEvent>; isOpen(): boolean; end(): void }

type Message = { event: LiveEvent } | { state: LiveState } | 'tell me the state'

const lockName = 'tickwright-live'
/** The tab that holds the stream says so this often, so that the others notice if it is frozen. */
const aliveMs = 5000
/** A longer silence of its own timer means that the device has slept. A hidden tab may have one a minute. */
const sleptMs = 90_000

export class LiveHub {
  #listeners = new Set<(event: LiveEvent) => void>()
  #stateListeners = new Set<() => void>()
  #state: LiveState = { status: 'waiting', since: Date.now() }
  #channel: BroadcastChannel | undefined
  #isHolder = false
  #isSignedIn = false
  #hasMissed = false
  #heardAt = Date.now()
  #end: AbortController | undefined
  #connection: Connection | undefined
  /** It was asked for before this tab knew whether it may hold the stream. */
  #early: Connection | undefined
  #watchedAt = Date.now()

  /** Begins to follow what happens to the signed-in user. Call {@link stop} when the user signs out. */
  start(): void {
    this.#isSignedIn = true
    if (this.#end === undefined) this.#begin(new AbortController())
  }

  /**
   * Begins to follow before it is known whether anyone is signed in: what the page reads afterwards is then current
   * already, and need not be read again when the stream opens. If nobody is signed in, this ends without a word.
   */
  startEarly(): void {
    if (this.#end !== undefined || holding.isSaid()) return
    const end = new AbortController()
    // The lock comes only after the other files have been evaluated. If another tab has it, this stream ends.
    this.#early = this.#connect(end.signal)
    this.#begin(end)
  }

  #begin(end: AbortController): void {
    this.#end = end
    this.#channel = new BroadcastChannel(lockName)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
    this.#channel.postMessage('tell me the state' satisfies Message)
    this.#watchedAt = Date.now()
    const watch = setInterval(() => this.#watch(), aliveMs)
    end.signal.addEventListener('abort', () => clearInterval(watch))
    // Without HTTPS, a browser has no locks: then each tab has a stream of its own.
    if (navigator.locks === undefined) void this.#hold(end.signal)
    else void this.#holdInTurn(end.signal)
  }

  /** Holds the stream when no other tab does. */
  async #holdInTurn(signal: AbortSignal): Promise<void> {
    const isTaken = await navigator.locks.request(lockName, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await this.#hold(signal)
      return lock === null
    })
    if (!isTaken) return
    this.#early?.end()
    this.#early = undefined
    await navigator.locks
      .request(lockName, { signal }, () => this.#hold(signal))
      .catch(() => {
        // It was stopped while it waited for the lock.
      })
  }

  stop(): void {
    this.#end?.abort()
    this.#end = undefined
    // It has ended too, and must not count as open for the next user.
    this.#early = undefined
    this.#channel?.close()
    if (this.#isHolder) holding.end()
    this.#isHolder = false
    this.#isSignedIn = false
  }

  /** Calls `listener` with each event. Returns the function that ends this. */
  listen(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  state = (): LiveState => this.#state

  /** Whether something may have happened, after the page began to read, of which nobody heard. Asking forgets it. */
  takeMissed(): boolean {
    const hasMissed = this.#hasMissed
    this.#hasMissed = false
    return hasMissed
  }

  subscribeState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  async #hold(signal: AbortSignal): Promise<void> {
    this.#isHolder = true
    holding.say()
    addEventListener('pagehide', holding.end, { signal })
    // Nobody knows what happened between the end of the former holder's stream and the beginning of this one. To open
    // after this makes every page read again.
    this.#tell({ status: 'waiting', since: Date.now() })
    while (!signal.aborted) {
      try {
        const connection = this.#early ?? this.#connect(signal)
        this.#early = undefined
        this.#connection = connection
        if (connection.isOpen()) this.#tell({ status: 'open' })
        for await (const event of connection.events) {
          this.#channel?.postMessage({ event } satisfies Message)
          this.#emit(event)
        }
      } catch (error) {
        this.#tell({ status: 'waiting', since: Date.now() })
        if (error instanceof ApiError && isEndOfSession(error.code)) {
          return this.#isSignedIn ? sessionEnded() : this.stop()
        }
        // The service refuses, such as for too many streams. The client library has waited already if it may help.
        await pause(10_000, signal)
      }
    }
  }

  /** Asks for a stream at once. Its events wait until they are read. */
  #connect(signal: AbortSignal): Connection {
    const own = new AbortController()
    let isOpen = false
    const set = (state: LiveState) => {
      isOpen = state.status === 'open'
      if (isOpen) this.#noteOpening()
      if (this.#connection === connection) this.#tell(state)
    }
    const events = client.live({
      signal: AbortSignal.any([signal, own.signal]),
      onOpen: () => set({ status: 'open' }),
      onLost: () => set({ status: 'waiting', since: Date.now() }),
    })
    const first = events.next()
    // The loop that reads the events hears of a failure.
    first.catch(() => {})
    const connection = { events: beginningWith(first, events), isOpen: () => isOpen, end: () => own.abort() }
    return connection
  }

  #hear(message: Message): void {
    this.#heardAt = Date.now()
    if (message === 'tell me the state') {
      if (this.#isHolder) this.#channel?.postMessage({ state: this.#state } satisfies Message)
    } else if ('event' in message) {
      // Without locks, this tab has a stream of its own.
      if (!this.#isHolder) this.#emit(message.event)
    } else if (!this.#isHolder) {
      if (message.state.status === 'open') this.#noteOpening()
      this.#set(message.state)
    }
  }

  /** A page may have begun to read before a stream opened, and listen only afterwards. */
  #noteOpening(): void {
    if (this.#isSignedIn && this.#stateListeners.size === 0) this.#hasMissed = true
  }

  /** The holder says that it lives; the others notice its silence. */
  #watch(): void {
    const before = this.#watchedAt
    this.#watchedAt = Date.now()
    if (this.#isHolder && this.#watchedAt - before > sleptMs) {
      // The connection did not survive that, but nobody says so: it would look live until its heartbeats are missed.
      this.#tell({ status: 'waiting', since: before })
      this.#connection?.end()
      return
    }
    if (this.#isHolder) {
      holding.say()
      this.#channel?.postMessage({ state: this.#state } satisfies Message)
    } else if (Date.now() - this.#heardAt > 4 * aliveMs)
      this.#set({ status: 'waiting', since: this.#heardAt })
  }

  #tell(state: LiveState): void {
    if (state.status === this.#state.status) return
    this.#set(state)
    this.#channel?.postMessage({ state } satisfies Message)
  }

  #set(state: LiveState): void {
    if (state.status === this.#state.status) return
    this.#state = state
    for (const listener of this.#stateListeners) listener()
  }

  #emit(event: LiveEvent): void {
    if (this.#listeners.size === 0) this.#hasMissed = true
    for (const listener of this.#listeners) listener(event)
  }
}

async function* beginningWith<T>(first: Promise<IteratorResult<T>>, others: AsyncGenerator<T>) {
  const { done, value } = await first
  if (done) return
  yield value
  yield* others
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

export const live = new LiveHub()
