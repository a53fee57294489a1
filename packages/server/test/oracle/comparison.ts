/** Compares everything that the API shows of a paper bot with the oracle, to the last shown digit. */
import assert from 'node:assert/strict'
import type { Client } from '../client.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'
import { divide, type Fraction, fraction, shown, size, text } from './fractions.ts'
import {
  balance,
  equity,
  type OracleBooks,
  type OracleSettings,
  type OracleSignal,
  workOut,
} from './oracle.ts'
import {
  bases,
  everyItem,
  type Item,
  type Kind,
  marketOf,
  type Prices,
  type Sent,
  symbolOf,
} from './stage.ts'

/**
 * @param sent the signals in the order in which the bot followed them, each with the prices of its time
 * @param now the current prices, which may have changed since the last signal
 */
export async function compareBot(
  client: Client,
  bot: number,
  kind: Kind,
  settings: OracleSettings,
  sent: (Sent & { prices: Prices })[],
  now: Prices,
  what: string,
): Promise<void> {
  const followed = await everyItem(client, `/bot/signal/cex/${bot}/signals`)
  const bySignal = new Map(followed.map((each) => [each.signal_id, each]))
  assert.deepEqual(
    followed.map(({ signal_id }) => signal_id).toSorted((a, b) => a - b),
    sent.map(({ id }) => id).toSorted((a, b) => a - b),
    what,
  )
  const signals = sent.map((each) => signalOf(kind, each, bySignal.get(each.id).finished_at))
  const books = workOut(settings, marketOf(kind), signals)
  for (const [index, { id }] of sent.entries()) {
    const { status, reason } = bySignal.get(id)
    assert.equal(status, books.ends[index], `${what}: signal ${id}, ${reason}`)
    assert.ok(reason !== null || status === 'DONE', `${what}: signal ${id}, ${status} ${reason}`)
  }
  await compareTrades(client, bot, books, what)
  await compareHoldings(client, bot, settings, books, pricesOf(kind, now), what)
}

function signalOf(kind: Kind, sent: Sent & { prices: Prices }, finishedAt: string): OracleSignal {
  const { base, action, options, prices } = sent
  const at = Date.parse(finishedAt)
  const symbol = symbolOf(kind, base)
  return { symbol, action, options, at, followedAt: at, prices: pricesOf(kind, prices) }
}

function pricesOf(kind: Kind, prices: Prices): Record<string, string> {
  const current = bases.map((each) => [symbolOf(kind, each), text(fraction(String(prices[kind][each])))])
  return Object.fromEntries(current)
}

const money = (exact: Fraction) => shown(exact, 4)
const price = (exact: Fraction) => shown(exact, 8)

const shownOrder = ({ symbol, side, purpose, size, status }: Item) => ({
  symbol,
  side,
  purpose,
  size,
  status,
})
const shownFill = ({ symbol, side, size, price, fee, realised }: Item) => ({
  symbol,
  side,
  size,
  price,
  fee,
  realised,
})

async function compareTrades(client: Client, bot: number, books: OracleBooks, what: string): Promise<void> {
  const orders = await everyItem(client, `/order?bot_id=${bot}`)
  assert.deepEqual(orders.map(shownOrder), books.orders, what)
  for (const { status, filled_size, size: ordered, client_order_id } of orders) {
    assert.equal(filled_size, status === 'FILLED' ? ordered : '0', `${what}: ${client_order_id}`)
  }
  const fills = await everyItem(client, `/fill?bot_id=${bot}`)
  const expected = books.fills.map((fill) => ({
    ...fill,
    price: price(fraction(fill.price)),
    fee: money(fraction(fill.fee)),
    realised: money(fraction(fill.realised)),
  }))
  assert.deepEqual(fills.map(shownFill), expected, what)
  const curve = await expect(200, client.api('GET', `/api/v2/bot/signal/cex/${bot}/equity`))
  assert.deepEqual(
    curve.map(({ balance, unrealised }: Record<string, string>) => ({ balance, unrealised })),
    books.points.map(({ balance, unrealised }) => ({
      balance: money(fraction(balance)),
      unrealised: money(fraction(unrealised)),
    })),
    what,
  )
}

async function compareHoldings(
  client: Client,
  bot: number,
  settings: OracleSettings,
  books: OracleBooks,
  prices: Record<string, string>,
  what: string,
): Promise<void> {
  const read = () => expect(200, client.api('GET', `/api/v2/bot/signal/cex/${bot}`))
  // After a start, the service watches a price only after a first request.
  await until('every price', async () => (await read()).equity !== null)
  const whole = await read()
  assert.deepEqual(
    [whole.balance, whole.equity],
    [money(balance(settings, books)), money(equity(settings, books, prices))],
    what,
  )
  const positions = await everyItem(client, `/position?bot_id=${bot}&all=true`)
  assert.equal(positions.length, books.holdings.size, what)
  for (const position of positions) {
    const { held, cost, realised, fees } = books.holdings.get(position.symbol)!
    const sign = position.side === 'short' ? '-' : ''
    const told = [sign + position.size, position.realised, position.fees]
    assert.deepEqual(told, [text(held), money(realised), money(fees)], what)
    const entryPrice = held.over === 0n ? null : price(divide(size(cost), size(held)))
    assert.equal(position.entry_price, entryPrice, what)
  }
}
