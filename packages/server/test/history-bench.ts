/** A live bot on a stand-in, and a service that a history can restart. */
import { inArray, isNull } from 'drizzle-orm'
import { Records } from '../src/bots/records.ts'
import { botSignals, positions, reconciliations, signals } from '../src/db/schema.ts'
import { dialectOf } from '../src/trading/live/dialects/index.ts'
import { createTestDatabase } from './databases.ts'
import {
  differences,
  type HistoryBench,
  type HistoryStep,
  held,
  play,
  unwanted,
} from './exchange-histories.ts'
import type { LiveService } from './live-services.ts'
import { addBot, addOwner, startBotWorker } from './reconciliation.ts'
import { addSignal } from './signal-processor.ts'
import { disagreements } from './trades.ts'
import { until } from './until.ts'

const paidIn = '1000000'
const everything = { limit: 1_000, offset: 0 }

export async function openHistoryBench({ start, exchange, service, symbol, quote }: LiveService) {
  await using acquired = new AsyncDisposableStack()
  const standIn = acquired.use(await start())
  const { trading } = standIn
  trading.setBalance(quote, paidIn)
  const place = acquired.use(await createTestDatabase())
  const startService = async () => {
    await using starting = new AsyncDisposableStack()
    const database = await place.open(starting)
    const worker = starting.use(await startBotWorker(database, standIn, { service, exchange }))
    return { database, worker, stack: starting.move() }
  }
  let running = await startService()
  acquired.defer(() => running.stack.disposeAsync())
  const owner = await addOwner(running.database)
  const botId = await addBot(running.database, owner)
  const { sizeStep } = await running.worker.venue.rules(symbol)
  const db = () => running.database.db
  const records = () => new Records(running.database, { latest: () => null })
  const checkedAt = async () => (await db().select().from(reconciliations))[0]?.checkedAt.getTime() ?? 0
  const bench: HistoryBench = {
    ...{ trading, symbol, sizeStep },
    price: () => standIn.price(symbol),
    setPrice: (price) => standIn.setPrice(symbol, price),
    signal: async (action) => {
      await addSignal(running.database, { ...owner, botId }, symbol, action)
    },
    isIdle: async () => {
      const waiting = await db().select().from(botSignals).where(isNull(botSignals.finishedAt))
      return waiting.length === 0
    },
    tellsWhatWaits: async () => {
      const wanted = await db()
        .select()
        .from(botSignals)
        .where(inArray(botSignals.status, ['CLOSING', 'WAITING']))
      const told = new Map(
        (await records().botSignals(owner.userId, { botId }, everything)).map((one) => [one.id, one]),
      )
      return wanted.every(({ id }) => {
        const one = told.get(id)
        return one !== undefined && (one.finishedAt !== null || one.reason !== null)
      })
    },
    compared: async () => {
      const from = Date.now()
      // A bot that never held anything has nothing to compare.
      const isNew = async () => (await db().select().from(positions)).length === 0
      await until('a comparison', async () => (await checkedAt()) > from || (await isNew()))
    },
    restart: async () => {
      // Requests that are on their way end without an answer.
      await running.worker.venue.close()
      await running.stack.disposeAsync()
      running = await startService()
    },
  }
  const differing = async () => differences(bench, (await db().select().from(positions))[0], paidIn)

  /** The orders as the API lists them, by the ids that the exchange knows, with their signals. */
  const plans = async () => {
    const actions = new Map((await db().select().from(signals)).map(({ id, action }) => [id, action]))
    const rows = await records().orders(owner.userId, {}, everything)
    return rows.map(({ clientOrderId, purpose, side, size, signalId }) => ({
      ...{ purpose, side, size, action: actions.get(signalId!)! },
      clientOrderId: dialectOf(exchange)!.clientOrderId(clientOrderId),
    }))
  }

  /** An EXIT that has ended, and after which nothing was asked for, leaves no position that an order could close. */
  const unclosed = async () => {
    const [last] = await records().botSignals(owner.userId, {}, everything)
    const isOpen = held(bench).abs().gte(sizeStep)
    if (last?.action !== 'EXIT' || !isOpen) return []
    return [`The account holds ${held(bench)} after an EXIT: ${last.status}. ${last.reason}`]
  }
  const kept = acquired.move()
  return {
    ...bench,
    /**
     * Plays a history, and waits until books and account agree. @returns sentences about what is wrong then; none if the
     * service did what it should
     */
    faultsAfter: async (history: readonly HistoryStep[]): Promise<string[]> => {
      await play(bench, history)
      // The service books what happened without it once a second look has shown the same.
      await until('agreement', async () => (await differing()).length === 0).catch(() => undefined)
      return [
        ...(await differing()),
        ...unwanted(bench, await plans()),
        ...(await unclosed()),
        ...(await disagreements(running.database, { id: botId, userId: owner.userId })),
        ...running.worker.errors.map((error) => `The service had an error: ${error}`),
      ]
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
