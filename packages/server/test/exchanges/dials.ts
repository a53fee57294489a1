import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** Where this process tried to connect to. */
export type Dials = Disposable & {
  /** Names that were looked up, and `address:port` of each attempt, in order. */
  readonly attempts: readonly string[]
  /** Those that did not stay on this machine. */
  outside(): string[]
}

/** Notes each attempt of this process to connect over TCP, whoever makes it, until it is disposed of. */
export function watchDials(): Dials {
  const attempts: string[] = []
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('lookup', (_error, _address, _family, host) => attempts.push(host))
    socket.on('connectionAttempt', (address, port) => attempts.push(`${address}:${port}`))
  }
  subscribe('net.client.socket', note)
  return {
    attempts,
    outside: () => attempts.filter((attempt) => !/^(127\.0\.0\.1|localhost)(:|$)/.test(attempt)),
    [Symbol.dispose]: () => unsubscribe('net.client.socket', note),
  }
}
