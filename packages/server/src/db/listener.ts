import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { keepAlive } from './keep-alive.ts'

const reconnectAfterMs = 500

type Handler = { onMessage(payload: string): void; onGap: (() => void) | undefined }

/**
 * A separate connection that listens for NOTIFY. If it is lost, the listener opens another one. It misses what is sent
 * in between, so nothing may depend on a notification alone.
 */
export class Listener {
  #url: string
  #onError: (error: Error) => void
  #handlers = new Map<string, Handler[]>()
  #client: Promise<pg.Client> | undefined
  #closed = false

  constructor(url: string, onError: (error: Error) => void) {
    this.#url = url
    this.#onError = onError
  }

  async listen(channel: string, handler: Handler): Promise<void> {
    const known = this.#handlers.get(channel)
    this.#handlers.set(channel, [...(known ?? []), handler])
    this.#client ??= this.#connect()
    const client = await this.#client
    if (known === undefined) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  /** A connection that listens to every known channel. */
  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      ...keepAlive,
      application_name: 'tickwright-listener',
    })
    client.on('notification', ({ channel, payload }) => {
      for (const { onMessage } of this.#handlers.get(channel) ?? []) onMessage(payload ?? '')
    })
    client.on('error', this.#onError)
    try {
      await client.connect()
      for (const channel of this.#handlers.keys()) {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    // Only now: if it is lost before, the caller waits for it no longer, and tries again.
    client.on('end', () => {
      if (this.#closed) return
      this.#client = this.#reconnect()
      // Only a later listen or close waits for it, and they see the failure too.
      this.#client.catch(() => undefined)
    })
    return client
  }

  async #reconnect(): Promise<pg.Client> {
    for (;;) {
      await sleep(reconnectAfterMs, undefined, { ref: false })
      if (this.#closed) throw new Error('The listener is closed.')
      try {
        const client = await this.#connect()
        for (const { onGap } of [...this.#handlers.values()].flat()) onGap?.()
        return client
      } catch (error) {
        this.#onError(error as Error)
      }
    }
  }
}
