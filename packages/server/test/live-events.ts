import assert from 'node:assert/strict'
import { patienceMs } from './patience.ts'

/** An event of a live stream. `id` is that of the latest `id` line. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
export type LiveEvent = { kind: string; id: string; data: any }

/** Reads the events of a stream, and is as strict as the service promises to be. */
export function readEvents(chunks: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const iterator = chunks[Symbol.asyncIterator]()
  let rest = ''
  let id = ''
  const read = async (): Promise<LiveEvent | undefined> => {
    for (;;) {
      const end = rest.indexOf('\n\n')
      if (end >= 0) {
        const event = parse(rest.slice(0, end))
        rest = rest.slice(end + 2)
        id = event.id ?? id
        if (event.kind !== undefined) return { kind: event.kind, data: event.data, id }
        continue
      }
      const { done, value } = await iterator.next()
      if (done) return undefined
      rest += decoder.decode(value, { stream: true })
    }
  }
  const readSoon = () => within(read(), patienceMs)
  /** The next event. @throws if the stream ends, or if no event comes in time */
  const next = async (): Promise<LiveEvent> => {
    const event = await readSoon()
    assert.ok(event !== undefined, 'the stream has ended')
    return event
  }
  return {
    next,
    /** The next event that is wanted; others before it are dropped. */
    find: async (isWanted: (event: LiveEvent) => boolean): Promise<LiveEvent> => {
      const untilMs = performance.now() + patienceMs
      for (;;) {
        const event = await next()
        if (isWanted(event)) return event
        assert.ok(performance.now() < untilMs, 'only other events came')
      }
    },
    /** Waits until the service ends the stream. Resolves to the events until then. */
    rest: async (): Promise<LiveEvent[]> => {
      const events: LiveEvent[] = []
      for (;;) {
        const event = await readSoon()
        if (event === undefined) return events
        events.push(event)
      }
    },
    /** The latest id. */
    id: () => id,
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no event came')), ms)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

/** Allows no line but those of an event, a comment and the pause, and only one line of data. */
function parse(block: string): Partial<LiveEvent> {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    assert.doesNotMatch(line, /\r/)
    const [, name, value] = /^(id|event|data|retry|): ?(.*)$/su.exec(line) ?? []
    assert.ok(name !== undefined && value !== undefined, `unexpected line: ${line.slice(0, 200)}`)
    assert.ok(!fields.has(name), `two lines of ${name}`)
    fields.set(name, value)
  }
  const kind = fields.get('event')
  const id = fields.get('id')
  return {
    ...(id === undefined ? {} : { id }),
    ...(kind === undefined ? {} : { kind, data: JSON.parse(fields.get('data')!) }),
  }
}
