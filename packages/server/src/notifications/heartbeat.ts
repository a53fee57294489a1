import { Sweeper } from '../base/sweeper.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'

export type HeartbeatParts = {
  url: URL
  http: Pick<OutgoingHttp, 'deliver'>
  /** Whether the service can do its work now. */
  isReady(): Promise<boolean>
  /** Called when a call fails for the first time after one that worked. The message names no address. */
  onError(error: unknown): void
  everyMs?: number
}

const defaultMs = 60_000
const timeoutMs = 10_000

/**
 * Calls an address every minute while the service can do its work. Somebody else listens there, and raises the alarm when
 * the calls cease: whatever has happened to this machine, it need not be able to say so itself.
 */
export class Heartbeat {
  #parts: HeartbeatParts
  #sweeper: Sweeper
  #stop = new AbortController()
  #isFailing = false

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
    const { everyMs = defaultMs } = parts
    this.#sweeper = new Sweeper({
      work: () => this.#beat(),
      everyMs,
      onError: (error) => this.#failed(error),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('The service is shutting down.'))
    await this.#sweeper.stop()
  }

  async #beat(): Promise<void> {
    if (!(await this.#parts.isReady())) return
    const headers = new Map([['user-agent', 'Tickwright']])
    const request = { method: 'GET' as const, url: this.#parts.url, headers, body: null }
    const { status } = await this.#parts.http.deliver(request, timeoutMs, this.#stop.signal)
    if (status < 200 || status >= 300) throw new Error(`It answered ${status}.`)
    this.#isFailing = false
  }

  #failed(error: unknown): void {
    if (!this.#isFailing && !this.#stop.signal.aborted) this.#parts.onError(error)
    this.#isFailing = true
  }
}
