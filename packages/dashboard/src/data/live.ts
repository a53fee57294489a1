import type { LiveEvent } from '@tickwright/client'
import { ApiError } from '@tickwright/client'
import { client } from './client.ts'
import { isEndOfSession } from './explain.ts'
import { sessionEnded } from './session-state.ts'

/**
 * What happens in the account, as it happens. All tabs of a browser share one stream: one of them holds it, and tells
 * the others. If that tab is closed, the next one takes over. Browsers allow few connections to one host, so a stream
 * for each tab would soon stop every page.
 */

/** `open`: what pages show is current. `waiting`: the stream is being connected again. */
export type LiveState = { status: 'open' } | { status: 'waiting'; since: number }

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
  #heardAt = Date.now()
  #end: AbortController | undefined
  #stream: AbortController | undefined
  #watchedAt = Date.now()

  /** Begins to follow. Call {@link stop} when the user signs out. */
  start(): void {
    if (this.#end !== undefined) return
    const end = new AbortController()
    this.#end = end
    this.#channel = new BroadcastChannel(lockName)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
    this.#channel.postMessage('tell me the state' satisfies Message)
    this.#watchedAt = Date.now()
    const watch = setInterval(() => this.#watch(), aliveMs)
    end.signal.addEventListener('abort', () => clearInterval(watch))
    // Without HTTPS, a browser has no locks: then each tab has a stream of its own.
    if (navigator.locks === undefined) void this.#hold(end.signal)
    else
      navigator.locks
        .request(lockName, { signal: end.signal }, () => this.#hold(end.signal))
        .catch(() => {
          // It was stopped while it waited for the lock.
        })
  }

  stop(): void {
    this.#end?.abort()
    this.#end = undefined
    this.#channel?.close()
    this.#isHolder = false
  }

  /** Calls `listener` with each event. Returns the function that ends this. */
  listen(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  state = (): LiveState => this.#state

  subscribeState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  async #hold(signal: AbortSignal): Promise<void> {
    this.#isHolder = true
    // Nobody knows what happened between the end of the former holder's stream and the beginning of this one. To open
    // after this makes every page read again.
    this.#tell({ status: 'waiting', since: Date.now() })
    while (!signal.aborted) {
      try {
        const onOpen = () => this.#tell({ status: 'open' })
        const onLost = () => this.#tell({ status: 'waiting', since: Date.now() })
        this.#stream = new AbortController()
        const ends = AbortSignal.any([signal, this.#stream.signal])
        for await (const event of client.live({ signal: ends, onOpen, onLost })) {
          this.#channel?.postMessage({ event } satisfies Message)
          this.#emit(event)
        }
      } catch (error) {
        this.#tell({ status: 'waiting', since: Date.now() })
        if (error instanceof ApiError && isEndOfSession(error.code)) return sessionEnded()
        // The service refuses, such as for too many streams. The client library has waited already if it may help.
        await pause(10_000, signal)
      }
    }
  }

  #hear(message: Message): void {
    this.#heardAt = Date.now()
    if (message === 'tell me the state') {
      if (this.#isHolder) this.#channel?.postMessage({ state: this.#state } satisfies Message)
    } else if ('event' in message) {
      // Without locks, this tab has a stream of its own.
      if (!this.#isHolder) this.#emit(message.event)
    } else if (!this.#isHolder) this.#set(message.state)
  }

  /** The holder says that it lives; the others notice its silence. */
  #watch(): void {
    const before = this.#watchedAt
    this.#watchedAt = Date.now()
    if (this.#isHolder && this.#watchedAt - before > sleptMs) {
      // The connection did not survive that, but nobody says so: it would look live until its heartbeats are missed.
      this.#tell({ status: 'waiting', since: before })
      this.#stream?.abort()
      return
    }
    if (this.#isHolder) this.#channel?.postMessage({ state: this.#state } satisfies Message)
    else if (Date.now() - this.#heardAt > 4 * aliveMs) this.#set({ status: 'waiting', since: this.#heardAt })
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
    for (const listener of this.#listeners) listener(event)
  }
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
