import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventText, idLine } from './event-text.ts'
import { type Filter, passes } from './filter.ts'
import type { Event, Found } from './source.ts'
import type { LiveStream } from './stream.ts'

/** So much of one list goes out before the rest is read, so that readers can take it meanwhile. */
const listBytes = 64 * 1024
/** So much of all lists together goes out before the rest is read, so that it needs little memory. */
const allBytes = 4 * 1024 * 1024
/** A list for many streams goes to this many before other work gets its turn. */
const turnLimit = 500

/** Streams that get the same events, and the events that they have not got yet. */
type List = { filter: Filter; since: number; streams: LiveStream[]; events: Buffer[]; bytes: number }

/**
 * The events of changes that were gathered. Each becomes text once. Streams of a user with the same filter get the same
 * bytes, in one piece: many small writes, and their readers, would cost more than the events.
 */
export class Gathering {
  #byUser: ReadonlyMap<number, ReadonlySet<LiveStream>>
  #first: number
  #lists = new Map<number, List[]>()
  #bytes = 0

  /**
   * @param byUser the open streams of each user
   * @param first the number of the first change
   */
  constructor(byUser: ReadonlyMap<number, ReadonlySet<LiveStream>>, first: number) {
    this.#byUser = byUser
    this.#first = first
  }

  add({ change: { kind }, number, found }: Event): void {
    for (const one of found) {
      let text: Buffer | undefined
      for (const list of this.#listsFor(one)) {
        if (number <= list.since || !passes(list.filter, kind, one)) continue
        text ??= Buffer.from(eventText(kind, one.record))
        list.events.push(text)
        list.bytes += text.length
        this.#bytes += text.length
      }
    }
  }

  /** Sends what there is much of. The last event that a stream gets has this id. */
  sendMuch(id: string): Promise<void> {
    return this.#send(id, this.#bytes >= allBytes ? 0 : listBytes)
  }

  /** Sends the rest. */
  sendAll(id: string): Promise<void> {
    return this.#send(id, 0)
  }

  async #send(id: string, leastBytes: number): Promise<void> {
    const line = Buffer.from(idLine(id))
    let sent = 0
    for (const list of [...this.#lists.values()].flat()) {
      if (list.events.length === 0 || list.bytes < leastBytes) continue
      const bytes = Buffer.concat(list.events.toSpliced(-1, 0, line))
      this.#bytes -= list.bytes
      list.events = []
      list.bytes = 0
      for (const stream of list.streams) {
        stream.send(bytes)
        if (++sent % turnLimit === 0) await nextTurn()
      }
    }
  }

  #listsFor({ userId }: Found): List[] {
    return userId === null
      ? [...this.#byUser.keys()].flatMap((each) => this.#listsOf(each))
      : this.#listsOf(userId)
  }

  #listsOf(userId: number): List[] {
    let lists = this.#lists.get(userId)
    if (lists === undefined) {
      lists = listsOf(this.#byUser.get(userId) ?? [], this.#first)
      this.#lists.set(userId, lists)
    }
    return lists
  }
}

/** A stream that was opened after the first change gets only the later ones, so it may need a list of its own. */
function listsOf(streams: Iterable<LiveStream>, first: number): List[] {
  const lists = new Map<string, List>()
  for (const stream of streams) {
    const since = Math.max(stream.since, first - 1)
    const key = `${since} ${stream.selectionKey}`
    const list = lists.get(key)
    if (list !== undefined) list.streams.push(stream)
    else lists.set(key, { filter: stream.selection, since, streams: [stream], events: [], bytes: 0 })
  }
  return [...lists.values()]
}
