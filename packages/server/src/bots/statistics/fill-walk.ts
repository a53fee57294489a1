import { SharedSemaphore } from '../../base/semaphore.ts'
import { Turns } from '../../base/turns.ts'
import type { Database, PreparedStatement, TextRow } from '../../db/database.ts'
import type { FillKind } from '../../db/schema.ts'
import {
  type BookedFill,
  countFill,
  noBooks,
  type Step,
  type SymbolBooks,
} from '../../trading/statistics/trades.ts'
import type { Side } from '../../trading/types.ts'

/**
 * The books of all symbols of a bot after a fill, from which a later walk can go on. They never change. `count`: how many
 * fills the bot had then.
 */
export type Mark = { fillId: number; count: number; books: ReadonlyMap<string, SymbolBooks> }

/** A deleted bot has fills, too. */
export type BotKey = { id: number; userId: number }

/** A fill of a walk, and what it changed. */
export type WalkedFill = { fill: BookedFill; step: Step }

const start: Mark = { fillId: 0, count: 0, books: new Map() }
const fillsAtOnce = 500
/**
 * How many fills lie between two marks, and among how many of the latest fills. Most people look at the newest trades, and
 * a list of all bots looks at those of hundreds of them at once.
 */
const spacings = [
  { between: 100, among: 500 },
  { between: 500, among: 2_000 },
  { between: 2_000, among: Number.POSITIVE_INFINITY },
]
const fillsBetweenMarks = spacings[0]!.between
/** Beyond this many marks, a bot keeps every second one. */
const mostMarks = 64
/** A mark costs about as much memory as the symbols in it. The bots that nobody has asked about for longest go first. */
const mostSymbolsInMarks = 20_000
/** A walk through 100,000 fills takes half a second of CPU time. Others may go on after each of its batches. */
const batchesAtOnce = 2
const batchesOfUser = 1

/** Texts as they are: this reads a hundred thousand rows. */
const fillsSql = `
  select id, order_id, kind, symbol, side, size, price, fee, fee_asset, realised,
    floor(extract(epoch from filled_at) * 1000)::int8
  from fills where bot_id = $1 and id > $2 order by id limit ${fillsAtOnce}`

/**
 * Walks through the fills of a bot in the order in which its books counted them, along the index on bot and id, and
 * turns them into trades. Fills never change and later ones have higher ids, so the walk remembers marks on its way, and
 * the next one does not have to begin with the first fill.
 */
export class FillWalks {
  #read: PreparedStatement
  #places = new SharedSemaphore(batchesAtOnce, batchesOfUser)
  #marks = new Map<number, Mark[]>()
  #symbolsInMarks = 0

  constructor(database: Database) {
    this.#read = database.prepare('fills_of_walk', fillsSql)
  }

  /** The marks of a bot, the earliest first: the first is before its first fill. */
  marks(botId: number): readonly Mark[] {
    const known = this.#marks.get(botId) ?? []
    // The last one asked for is the last in the map.
    if (this.#marks.delete(botId)) this.#marks.set(botId, known)
    return [start, ...known]
  }

  /**
   * Does a part of a long calculation, at most for a batch or so. Others wait for their parts meanwhile, so a user who
   * asks for many calculations slows down only their own.
   * @throws if `signal` is aborted
   */
  async part<Result>(
    userId: number,
    signal: AbortSignal | undefined,
    work: (turns: Turns) => Promise<Result>,
  ): Promise<Result> {
    const leave = await this.#places.acquire(userId)
    try {
      signal?.throwIfAborted()
      return await work(new Turns())
    } finally {
      leave()
    }
  }

  /** Yields batches of fills from a mark to the latest fill. @throws if `signal` is aborted */
  async *walk(bot: BotKey, from: Mark, signal?: AbortSignal): AsyncGenerator<WalkedFill[]> {
    const books = new Map(from.books)
    for (let { fillId, count } = from; ; ) {
      const batch = await this.#next(bot, { fillId, count, books }, signal)
      yield batch
      if (batch.length < fillsAtOnce) return
      fillId = batch.at(-1)!.fill.id
      count += batch.length
    }
  }

  /** The next batch. Changes the books of `from` to those after it. */
  #next(
    { id, userId }: BotKey,
    { fillId: last, count, books }: Mark & { books: Map<string, SymbolBooks> },
    signal?: AbortSignal,
  ): Promise<WalkedFill[]> {
    return this.part(userId, signal, async (turns) => {
      const walked: WalkedFill[] = []
      for (const row of await this.#read([id, last])) {
        if (turns.isOver) await turns.rest()
        const fill = fillOf(row)
        const step = countFill(books.get(fill.symbol) ?? noBooks, fill)
        books.set(fill.symbol, step.books)
        walked.push({ fill, step })
        const counted = count + walked.length
        if (counted % fillsBetweenMarks === 0) this.#remember(id, { fillId: fill.id, count: counted, books })
      }
      return walked
    })
  }

  /** @param mark its books may change afterwards */
  #remember(botId: number, mark: Mark): void {
    const known = this.#marks.get(botId) ?? []
    if (mark.fillId <= (known.at(-1)?.fillId ?? 0) || mark.books.size > mostSymbolsInMarks / mostMarks) return
    const marks = known.filter(({ count }) =>
      spacings.some(({ between, among }) => count % between === 0 && count > mark.count - among),
    )
    marks.push({ ...mark, books: new Map(mark.books) })
    const kept =
      marks.length <= mostMarks ? marks : marks.filter((_, place) => (marks.length - place) % 2 === 1)
    this.#marks.delete(botId)
    this.#marks.set(botId, kept)
    this.#symbolsInMarks += symbolsIn(kept) - symbolsIn(known)
    for (const [oldest, forgotten] of this.#marks) {
      if (this.#symbolsInMarks <= mostSymbolsInMarks || oldest === botId) return
      this.#marks.delete(oldest)
      this.#symbolsInMarks -= symbolsIn(forgotten)
    }
  }
}

function fillOf(row: TextRow): BookedFill {
  const [id, orderId, kind, symbol, side, size, price, fee, feeAsset, realised, filledAt] = row as [
    string,
    ...TextRow,
  ]
  return {
    id: Number(id),
    orderId: orderId === null ? null : Number(orderId),
    kind: kind as FillKind,
    symbol: symbol!,
    side: side as Side,
    size: size!,
    price: price!,
    fee: fee!,
    feeAsset: feeAsset!,
    realised: realised!,
    filledAt: Number(filledAt),
  }
}

function symbolsIn(marks: readonly Mark[]): number {
  return marks.reduce((sum, { books }) => sum + books.size, 0)
}
