import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failure, Fills, Trading } from '../../../test/exchanges/trading.ts'
import { liveServices, liveVariants, nameOf } from '../../../test/live-services.ts'
import { patienceMs } from '../../../test/patience.ts'
import { plainSettings } from '../../../test/trading.ts'
import { decimal, plain } from '../../base/decimals.ts'
import { followSignal, type SignalOutcome } from '../follow-signal.ts'
import { costOf } from '../ledger.ts'
import { MemoryBooks } from '../memory-books.ts'
import type { Action, Clock, TradeSignal } from '../types.ts'
import { dialectOf } from './dialects/index.ts'
import { LiveVenue } from './live-venue.ts'

/**
 * Follows signals on an exchange that fails in every way. Whatever happens, no order exists twice, no outcome stays
 * unknown, and the books match the account.
 */

const startBalance = '1000000'
const signalCount = 24
/**
 * An order comes up to 150 ms late, and is hidden for up to 80 ms more. A busy machine is late with both, and one that
 * counts as absent too early is sent twice.
 */
const absentMs = 400
const seeds = [20_261_121, 4_711, 815]
const orderFailures: Failure[] = [
  'before-cut',
  'before-5xx',
  'after-cut',
  'after-cut',
  'after-5xx',
  'after-garbage',
  'late',
  'reject',
  'rate-limit',
]
const questionFailures: Failure[] = ['before-cut', 'before-5xx', 'after-garbage', 'rate-limit']
const allFills: Fills[] = ['whole', 'whole', 'parts', 'late']

const clock: Clock = {
  now: Date.now,
  sleep: async (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Random numbers, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Chooses failures of the exchange for the next signal. */
function disturb(trading: Trading, random: () => number): void {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  trading.calm()
  trading.setFills(pick(allFills))
  trading.hideFor(random() < 0.3 ? 80 : 0)
  trading.hideTradesFor(random() < 0.3 ? 60 : 0)
  while (random() < 0.45) trading.failNext(pick(orderFailures))
  while (random() < 0.4) trading.failNext(pick(questionFailures), 'question')
}

const all = [...liveServices, ...liveVariants].map((run, i) => ({
  ...run,
  name: nameOf(run),
  seed: seeds[i % seeds.length] as number,
}))

describe('through signals to an exchange that fails the books are the account', { concurrency: 10 }, () => {
  for (const { name, start, exchange, service, symbol, quote, actions, seed } of all) {
    test(`${name}, seed ${seed}`, async () => {
      await using standIn = await start()
      const { trading } = standIn
      trading.setBalance(quote, startBalance)
      const endpoints = { [exchange]: standIn.endpoints }
      const { credentials } = trading
      const price = async (of: string) => standIn.price(of)
      const options = { venue: { exchange, service }, credentials, endpoints, price }
      const open = () =>
        new LiveVenue({
          ...options,
          absentAfterMs: absentMs,
          timeouts: { endedMs: 20 },
          // No answer of this stand-in stays away.
          timeoutMs: patienceMs,
        })
      let venue = open()
      const books = new MemoryBooks()
      // Amounts in base currency take the same way.
      const isInBase = seed === 815
      const own = isInBase ? ({ amount: '0.02', amountUnit: 'base' } as const) : { amount: '1000' }
      const settings = { ...plainSettings, ...own, amountCurrency: quote }
      const timeouts = { absentMs, forgottenMs: 5_000, firstPauseMs: 5, longestPauseMs: 40 }
      const random = randomOf(seed)

      const follow = async (signal: TradeSignal): Promise<SignalOutcome> => {
        // Sometimes the service ends half-way, and another one continues from the books.
        for (let killed = random() < 0.2; ; killed = false) {
          const end = new AbortController()
          const timer = killed ? setTimeout(() => end.abort(), random() * 60) : undefined
          try {
            const parts = { settings, venue, books, clock, timeouts, stop: end.signal }
            return await followSignal({ signal, ...parts, whyHalted: () => null })
          } catch (error) {
            assert.ok(end.signal.aborted, String(error))
            await venue.close()
            venue = open()
          } finally {
            clearTimeout(timer)
          }
        }
      }

      for (let id = 1; id <= signalCount; id++) {
        disturb(trading, random)
        standIn.setPrice(symbol, Math.round(50_000 + random() * 20_000))
        const action = actions[Math.floor(random() * actions.length)] as Action
        const dilution = random() < 0.3
        await follow({ botSignalId: id, action, symbol, price: null, options: { dilution }, at: Date.now() })
        await assertSame(books, trading, { symbol, quote, service })
      }
      trading.setFills('whole')
      const exit: TradeSignal = {
        botSignalId: signalCount + 1,
        action: 'EXIT',
        symbol,
        price: null,
        options: {},
        at: Date.now(),
      }
      await follow(exit)
      await assertSame(books, trading, { symbol, quote, service })
      await venue.close()

      const openings = books.orders.filter(({ purpose }) => purpose === 'open').map(({ size }) => size)
      if (isInBase) assert.deepEqual(new Set(openings), new Set(openings.length === 0 ? [] : ['0.02']))
      const taken = trading.orders().map(({ clientOrderId }) => clientOrderId)
      assert.ok(taken.length > signalCount / 5, `${taken.length} orders`)
      assert.equal(new Set(taken).size, taken.length)
      const idAt = dialectOf(exchange)!.clientOrderId
      const booked = new Set(books.orders.map(({ clientOrderId }) => idAt(clientOrderId)))
      for (const id of taken) assert.ok(booked.has(id), id)
      for (const { status, clientOrderId } of books.orders) {
        assert.ok(['FILLED', 'CANCELED', 'REJECTED'].includes(status), `${clientOrderId} is ${status}`)
      }
      assert.equal(
        books.fills.length,
        trading.orders().reduce((count, { trades }) => count + trades.length, 0),
      )
    })
  }
})

type Market = { symbol: string; quote: string; service: string }

/** Compares position and money exactly, except for the rounding of divisions in the stand-in. */
async function assertSame(books: MemoryBooks, trading: Trading, { symbol, quote, service }: Market) {
  const position = await books.position(symbol)
  const held = position.side === 'short' ? `-${position.size}` : position.size
  assert.equal(service === 'spot' ? trading.balance('BTC') : trading.position(symbol), held)
  // On spot, the balance pays for the holding. On futures, only profit and fees change it.
  const spent = service === 'spot' ? decimal(costOf(position)) : decimal('0')
  const expected = decimal(startBalance).plus(decimal(position.realised)).minus(spent)
  assert.equal(decimal(trading.balance(quote)).round(8).toFixed(), plain(expected.round(8)))
}
