import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveKind } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { sign } from './sign.ts'

/** How long the last events may take. */
const patienceMs = 10_000

const eventStart = Buffer.from('\nevent: ')

/** Streams that someone reads. Disposing ends them. */
export type StreamReaders = AsyncDisposable & {
  /**
   * Resolves when at least this many events have come.
   * @throws {Error} if a stream has a gap or has ended, or if they do not come in time
   */
  received(count: number): Promise<void>
}

/**
 * Opens a stream for each of these, and resolves once all are open. They only count events: a reader that shares the
 * processors with the service slows it down, which says nothing about the service.
 */
export async function openReaders(
  accesses: readonly ApiAccess[],
  kinds: readonly LiveKind[],
): Promise<StreamReaders> {
  let events = 0
  let failure: string | undefined
  const sockets = await Promise.all(
    accesses.map(async (access) => {
      const { socket, status } = await openSocket(access, `?kind=${kinds.join()}`)
      if (status !== 200) throw new Error(`A stream was answered with ${status}.`)
      let end = Buffer.alloc(0)
      socket.on('data', (bytes: Buffer) => {
        const border = Buffer.concat([end, bytes.subarray(0, eventStart.length - 1)])
        events += countIn(border) + countIn(bytes)
        if (bytes.includes('event: resync')) failure ??= 'A stream has a gap.'
        end = Buffer.from(bytes.subarray(1 - eventStart.length))
      })
      socket.on('close', () => {
        failure ??= 'A stream has ended.'
      })
      return socket
    }),
  )
  return {
    received: async (count) => {
      const untilMs = performance.now() + patienceMs
      while (failure === undefined && events < count) {
        if (performance.now() > untilMs) failure = `Of ${count} events, only ${events} have come.`
        await sleep(20)
      }
      if (failure !== undefined) throw new Error(failure)
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.removeAllListeners('close').destroy()
    },
  }
}

/** Asks for a stream, with less memory than `fetch` needs. Resolves with the status of the answer. */
export async function openSocket(access: ApiAccess, query = ''): Promise<{ status: number; socket: Socket }> {
  const { port, hostname, host } = new URL(access.baseUrl)
  const path = `/api/v2/live${query}`
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({ host, ...sign(access, 'GET', path) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return { status: Number(bytes.toString('latin1').split(' ')[1]), socket }
}

function countIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(eventStart); at >= 0; at = bytes.indexOf(eventStart, at + 1)) count++
  return count
}
