import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The connections that this process tried to open. */
export type Dials = Disposable & {
  /** Looked-up names and the `address:port` of each attempt, in order. */
  readonly attempts: readonly string[]
  /** The attempts that left this machine. */
  outside(): string[]
}

/** Records each attempt of this process to connect over TCP, by any code, until it is disposed of. */
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
