/** What the service reads from answers that were recorded from real exchanges. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  fieldsOf,
  isFor,
  type RecordedCase,
  type RecordedExchange,
  readRecorded,
  startRecorded,
} from '../../../test/recorded/recorded-exchange.ts'
import type { OrderRequest } from '../types.ts'
import { openAccount } from './account.ts'
import { LiveVenue } from './live-venue.ts'

const names = ['binance', 'kraken', 'krakenfutures', 'gate', 'hyperliquid', 'bybit', 'okx', 'bitget']

for (const name of names) {
  const recorded = readRecorded(name)
  describe(name, () => {
    for (const one of recorded.cases) {
      test(`${name} ${one.service}: ${one.what}`, async (context) => {
        // It is the time of the recording: exchanges are asked for what is new.
        const startedMs = performance.now()
        context.mock.method(Date, 'now', () => Date.parse(one.at) + Math.floor(performance.now() - startedMs))
        await using opened = await open(recorded, one)
        assert.deepEqual(await asked(opened.venue, one), one.expected)
        if (one.ask !== 'place') return
        const sent = opened.requests.filter((request) => isFor(one.answers[0]!, request))
        assert.equal(sent.length, 1)
        const { request = {} } = one
        const fields = fieldsOf(sent[0]!)
        const inRequest = Object.keys(request).map((key) => [key, fields[key]])
        assert.deepEqual(Object.fromEntries(inRequest), request)
      })
    }
  })
}

test('numbers in an answer are text, as the exchange wrote them', async () => {
  const { markets, credentials, cases } = readRecorded('krakenfutures')
  const { answers } = cases.find(({ ask }) => ask === 'funding')!
  await using recorded = await startRecorded([...answers, ...markets])
  const account = await openAccount({
    venue: { exchange: 'krakenfutures', service: 'futures' },
    credentials,
    endpoints: { krakenfutures: recorded.endpoints },
  })
  const { logs } = (await account.fetch2('account-log', 'history')) as { logs: Record<string, unknown>[] }
  await account.close()
  const { id, funding_rate, realized_funding, mark_price } = logs[0]!
  assert.deepEqual(
    [id, funding_rate, realized_funding, mark_price],
    ['16', '9.288451412e-7', '-0.0002', null],
  )
})

async function open({ exchanges, credentials, markets, accounts = {} }: RecordedExchange, one: RecordedCase) {
  const exchange = exchanges[one.service] as string
  const recorded = await startRecorded([...one.answers, ...(accounts[one.account ?? ''] ?? []), ...markets])
  const venue = new LiveVenue({
    venue: { exchange, service: one.service },
    credentials,
    endpoints: { [exchange]: recorded.endpoints },
    price: async () => one.price ?? '1',
    timeouts: { endedMs: 0, behindMs: 0, refusedMs: 0 },
  })
  return {
    venue,
    requests: recorded.requests,
    [Symbol.asyncDispose]: async () => {
      await venue.close()
      await recorded[Symbol.asyncDispose]()
    },
  }
}

/** What the service reads, without reasons for people. */
async function asked(
  venue: LiveVenue,
  { ask, symbol = '', at, days, order }: RecordedCase,
): Promise<unknown> {
  const { account } = venue
  const since = Date.parse(at) - (days === undefined ? 3_600_000 : days * 86_400_000)
  switch (ask) {
    case 'trades':
      return account.tradesSince(symbol, since)
    case 'funding':
      return account.fundingSince(symbol, since)
    case 'openOrders':
      return account.openOrders(symbol)
    case 'positions':
      return account.positions()
    case 'balances':
      return account.balances()
    case 'place':
      return withoutReason(await venue.place(requestOf(symbol, order!)))
    case 'lookUp': {
      const found = await venue.lookUp(requestOf(symbol, order!))
      return found.status === 'found' ? withoutReason(found.report) : found
    }
  }
}

function requestOf(symbol: string, order: NonNullable<RecordedCase['order']>): OrderRequest {
  const { reduceOnly = false } = order
  return { ...order, symbol, reduceOnly, purpose: reduceOnly ? 'close' : 'open' }
}

function withoutReason(value: object): object {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'reason' ? undefined : inner)))
}
