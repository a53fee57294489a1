/** Signals whose openings rest at an exchange, followed to their end by processes that die, with answers that are lost. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LiveService, liveServices, nameOf, openLive } from '../../../test/live-services.ts'
import { Killed, mortal } from '../../../test/mortal-books.ts'
import { plainSettings } from '../../../test/trading.ts'
import { until } from '../../../test/until.ts'
import { decimal, plain, zero } from '../../base/decimals.ts'
import type { SignalEntry } from '../../db/schema.ts'
import { followSignal, type SignalOutcome } from '../follow-signal.ts'
import { MemoryBooks } from '../memory-books.ts'
import type { Clock, Venue } from '../types.ts'
import { entriesOf } from './dialects/index.ts'

const services = liveServices.filter((service) => entriesOf(service) !== undefined)
const timeouts = { absentMs: 150, firstPauseMs: 5, longestPauseMs: 20, busyMs: 5_000 }
const lifeMs = 20_000

type Opened = Awaited<ReturnType<typeof openAccount>>

const openAccount = (service: LiveService) =>
  openLive(service, { absentAfterMs: 50, timeouts: { endedMs: 5 } })

/**
 * Follows one signal with an entry. Its clock can be set forward, by less than orders may be older than planned.
 * @param more `account`: one for several signals, each with an id of its own. Default: a new one
 */
async function open(
  service: LiveService,
  entry: SignalEntry,
  more: { account?: Opened; signalId?: number; dies?: () => boolean } = {},
) {
  const opened = more.account ?? (await openAccount(service))
  const { symbol } = service
  const before = opened.trading.orders().length
  opened.standIn.setPrice(symbol, 60_000)
  let aheadMs = 0
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  const real = new MemoryBooks()
  const options = { entry: { timeout_seconds: 20, ...entry } }
  const { signalId: botSignalId = 1 } = more
  const signal = { botSignalId, action: 'LONG', symbol, price: null, options, at: Date.now() } as const
  let newer: string | null = null
  let halt: string | null = null
  let venue: Venue = opened.venue
  const once = () =>
    followSignal({
      ...{ signal, venue, clock, timeouts, stop: new AbortController().signal },
      settings: { ...plainSettings, amount: '600', amountCurrency: service.quote },
      books: more.dies === undefined ? real : mortal(real, more.dies),
      whyHalted: () => halt,
      whyCancelled: () => newer,
    })
  /** A process that dies is started again. */
  const follow = async (): Promise<SignalOutcome> => {
    for (;;) {
      try {
        return await once()
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
    }
  }
  const { trading } = opened
  return {
    ...{ ...opened, symbol, follow, books: real },
    passTime: () => {
      aheadMs += lifeMs
    },
    cancelledBy: (reason: string) => {
      newer = reason
    },
    haltedBy: (reason: string) => {
      halt = reason
    },
    through: (changes: Partial<Venue>) => {
      venue = {
        ...{ kind: 'live', whyNoLimits: null, rules: (name) => opened.venue.rules(name) },
        ...{ price: (name) => opened.venue.price(name), bestPrices: (name) => opened.venue.bestPrices(name) },
        ...{ place: (order) => opened.venue.place(order), lookUp: (order) => opened.venue.lookUp(order) },
        cancel: (order) => opened.venue.cancel(order),
        ...changes,
      }
    },
    /** What must hold at any time. */
    check: async () => {
      const all = trading.orders().slice(before)
      const ids = all.map(({ clientOrderId }) => clientOrderId)
      assert.equal(new Set(ids).size, ids.length, 'an id is used twice')
      const openNow = all.filter(({ status }) => status === 'open')
      assert.ok(openNow.length <= 1, 'two orders are open')
      const filled = all.flatMap(({ trades }) => trades).reduce((sum, { size }) => sum.plus(size), zero)
      const left = openNow.reduce((sum, { size, trades }) => {
        return trades.reduce((rest, trade) => rest.minus(trade.size), sum.plus(size))
      }, zero)
      assert.ok(filled.plus(left).lte(all[0]?.size ?? '0'), 'the orders exceed what was wanted')
      return {
        filled: plain(filled),
        open: openNow.length,
        limits: all.map(({ limit }) => limit ?? 'market'),
      }
    },
    booked: async () => plain(decimal((await real.position(symbol)).size)),
  }
}

const chase = { type: 'post_only', price: '59000', on_timeout: 'chase', chases: 2 } as const

describe('an opening that rests', { concurrency: 4 }, () => {
  for (const service of services) {
    const name = nameOf(service)

    test(`${name}: is priced again when its time is over, and each part is booked as it comes`, async () => {
      await using bench = await open(service, chase)
      const { follow, trading, standIn, symbol, books, passTime, check, booked } = bench
      trading.setFee('0')
      assert.equal((await follow()).status, 'RESTING')
      const { size } = books.orders[0]!
      trading.fillResting('0.004')
      await until('the part to be booked', async () => {
        assert.equal((await follow()).status, 'RESTING')
        return (await booked()) === '0.004'
      })
      passTime()
      standIn.setPrice(symbol, 60_500)
      assert.equal((await follow()).status, 'RESTING')
      assert.deepEqual((await check()).limits.map(Number), [59_000, 60_500])
      const [, second] = trading.orders()
      assert.equal(plain(decimal(second!.size)), plain(decimal(size).minus('0.004')))
      standIn.setPrice(symbol, 60_499)
      assert.deepEqual(await settledBy(follow), { status: 'DONE', reason: null })
      const { filled, open: still } = await check()
      assert.deepEqual([await booked(), filled, still], [size, size, 0])
    })

    test(`${name}: is cancelled by a newer signal, a halt or its owner, and nothing follows`, async () => {
      for (const [end, status, reason] of [
        ['newer', 'DONE', /^Only 0\.004 of 0\.\d+ BTC was executed\. A newer signal came\.$/],
        ['halt', 'REFUSED', /The bot places no new orders\. Trading is halted\./],
        ['owner', 'IGNORED', /cancelled at the exchange, and not by the bot/],
      ] as const) {
        await using bench = await open(service, { ...chase, on_timeout: 'market' } as SignalEntry)
        const { follow, trading, check, booked } = bench
        trading.setFee('0')
        assert.equal((await follow()).status, 'RESTING')
        if (end === 'newer') {
          trading.fillResting('0.004')
          bench.cancelledBy('A newer signal came.')
        }
        if (end === 'halt') bench.haltedBy('Trading is halted.')
        if (end === 'owner') trading.cancelResting()
        const outcome = await settledBy(follow)
        assert.equal(outcome.status, status)
        assert.match(`${outcome.reason}`, reason)
        bench.passTime()
        assert.deepEqual(await follow(), outcome)
        const { filled, open: still, limits } = await check()
        assert.deepEqual([await booked(), still, limits.length], [filled, 0, 1])
      }
    })

    test(`${name}: is followed at market by its rest, only after what it has executed is known`, async () => {
      await using bench = await open(service, { type: 'limit', price: '59000', on_timeout: 'market' })
      const { follow, trading, standIn, passTime, check, booked, books } = bench
      trading.setFee('0')
      assert.equal((await follow()).status, 'RESTING')
      passTime()
      // Its cancellation is lost once, and then the exchange does not answer for a while.
      let lost = 1
      const asked: number[] = []
      bench.through({
        cancel: async (order) => {
          asked.push(trading.orders().length)
          if (lost-- > 0) return
          // It is executed at the last moment.
          trading.fillResting('0.003')
          await bench.venue.cancel(order)
          standIn.failRest({ status: 503, body: 'down' })
          setTimeout(() => standIn.failRest(undefined), 100)
        },
      })
      assert.deepEqual(await settledBy(follow), { status: 'DONE', reason: null })
      assert.deepEqual(asked, [1, 1])
      const { filled, limits } = await check()
      assert.deepEqual([limits.map(String).at(-1), limits.length], ['market', 2])
      assert.deepEqual([await booked(), filled], [books.orders[0]!.size, books.orders[0]!.size])
    })
  }

  const limit = { type: 'limit', price: '59000' } as const
  for (const [exchange, kind, entry, leastWrites] of [
    ['binance', 'spot', chase, 8],
    ['binance', 'futures', chase, 8],
    ['okx', 'futures', chase, 8],
    ['binance', 'spot', { ...limit, on_timeout: 'market' }, 8],
    ['okx', 'futures', limit, 5],
  ] as const) {
    const service = services.find((one) => one.exchange === exchange && one.service === kind)!
    const { type, on_timeout = 'cancel' }: SignalEntry = entry
    const name = `${nameOf(service)}, ${type}, then ${on_timeout}`

    test(`${name}: after a kill at any write, its orders never exceed what was wanted, and the books have what was executed`, async () => {
      await using account = await openAccount(service)
      account.trading.setFee('0')
      for (let when = 0, hasDied = true; hasDied; when++) {
        let writes = 0
        const dies = () => writes++ === when
        const { follow, trading, standIn, symbol, passTime, check, booked } = await open(service, entry, {
          account,
          signalId: when + 1,
          dies,
        })
        await follow()
        await check()
        trading.fillResting('0.004')
        await follow()
        passTime()
        standIn.setPrice(symbol, 60_500)
        await follow()
        await check()
        standIn.setPrice(symbol, 60_400)
        const outcome = await settledBy(follow)
        assert.notEqual(outcome.status, 'RESTING')
        const { filled, open: still, limits } = await check()
        assert.deepEqual([await booked(), still], [filled, 0], `after a kill at write ${when}`)
        assert.ok(on_timeout !== 'cancel' || limits.length <= 1, 'nothing follows an order that is cancelled')
        hasDied = writes > when
        assert.ok(hasDied || when > leastWrites, 'there are fewer writes than there were')
      }
    })
  }
})

async function settledBy(follow: () => Promise<SignalOutcome>): Promise<SignalOutcome> {
  let outcome: SignalOutcome = await follow()
  await until('the signal to end', async () => {
    if (outcome.status === 'RESTING') outcome = await follow()
    return outcome.status !== 'RESTING'
  })
  return outcome
}
