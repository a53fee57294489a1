import type { Readable } from 'node:stream'
import { Announcer } from '../src/live/announcer.ts'
import type { Filter } from '../src/live/filter.ts'
import type { Source } from '../src/live/source.ts'
import { LiveStreams, type LiveStreamsParts } from '../src/live/streams.ts'
import type { TestDatabase } from './databases.ts'
import type { LiveEvent } from './live.ts'
import { readEvents } from './live-events.ts'

/** Every change is a record that its `userId` sees, or everyone if it names nobody. */
const everything: Source = async (changes) =>
  changes.map(({ userId = null, part, ...of }) => [
    { ...of, userId, record: { id: of.id, text: part ?? '' } },
  ])

/** A node with streams, whose records are what the changes say. */
export type StreamNode = {
  announcer: Announcer
  streams: LiveStreams
  /** Opens a stream of a user and reads it. */
  open(userId: number, options?: { filter?: Filter; lastId?: string }): Promise<OpenStream>
  errors: unknown[]
}

export type OpenStream = { stream: Readable; next(): Promise<LiveEvent>; id(): string }

export async function openNode(
  place: TestDatabase,
  acquired: AsyncDisposableStack,
  changes: Partial<LiveStreamsParts> = {},
): Promise<StreamNode> {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const announcer = await Announcer.open(await place.open(acquired), onError)
  acquired.defer(() => announcer.close())
  const streams = new LiveStreams({
    announcer,
    sources: { run: everything, signal: everything, order: everything },
    check: async (sessions) => ({ sessions: new Set(sessions), keys: new Map() }),
    followPrice: () => () => undefined,
    limits: { ofUser: 10, ofNode: 100 },
    onError,
    ...changes,
  })
  acquired.defer(() => streams.close())
  return {
    announcer,
    streams,
    errors,
    open: async (userId, { filter = {}, lastId } = {}) => {
      const principal = { userId, role: 'user', sessionId: userId } as const
      const stream = await streams.open(principal, filter, { lastId })
      const events = readEvents(stream)
      return { stream, ...events }
    },
  }
}
