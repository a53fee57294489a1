/** Compares `docs/trading.md` with the code that trades. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyExecution, flatPosition } from '../packages/server/src/trading/ledger.ts'
import type { BotSettings, Side, TradeSignal } from '../packages/server/src/trading/types.ts'
import { futuresRules, noon, PaperBench, spotRules } from '../packages/server/test/trading.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const file = 'docs/trading.md'

type Case = [
  before: string,
  action: TradeSignal['action'],
  options: string,
  venue: string,
  orders: string,
  after: string,
  status: string,
]

/**
 * `strict, size 50, forceSize`, `amount 2 BTC`, `sizes in BTC`, or `amounts in EUR at 1.25`: with a market that converts
 * them.
 */
function readOptions(text: string): {
  settings: Partial<BotSettings>
  rates: Record<string, string>
  halted: 'all' | 'openings' | null
  options: TradeSignal['options']
} {
  const words = text === '' ? [] : text.split(', ')
  const options: TradeSignal['options'] = {}
  const settings: Partial<BotSettings> = { strictAmount: words.includes('strict') }
  const rates: Record<string, string> = {}
  const switches = ['strict', 'halted', 'openings halted']
  for (const word of words) {
    const [, currency, rate] = /^amounts in ([A-Z]+)(?: at (\S+))?$/.exec(word) ?? []
    if (currency !== undefined) settings.amountCurrency = currency
    if (rate !== undefined) {
      settings.amountRate = `${currency}/USDT`
      rates[settings.amountRate] = rate
    }
    if (currency !== undefined) continue
    const [, amount, base] = /^amount (\S+) ([A-Z]+)$/.exec(word) ?? []
    if (amount !== undefined)
      Object.assign(settings, { amount, amountUnit: 'base', symbols: [`${base}/USDT`] })
    const [, sizes] = /^sizes in ([A-Z]+)$/.exec(word) ?? []
    if (sizes !== undefined) settings.sizeUnit = sizes === 'BTC' ? 'base' : 'quote'
    if (amount !== undefined || sizes !== undefined) continue
    if (word === 'long only' || word === 'short only') {
      settings.direction = word === 'long only' ? 'long' : 'short'
      continue
    }
    const [, closes] = /^closes (long|short)$/.exec(word) ?? []
    const [, unit] = /^unit (base|quote)$/.exec(word) ?? []
    if (closes !== undefined) options.closes = closes as 'long'
    else if (unit !== undefined) options.sizeUnit = unit as 'base'
    else if (word.startsWith('size ')) options.size = Number(word.slice(5))
    else if (word === 'dilution' || word === 'forceSize') options[word] = true
    else assert.ok(switches.includes(word), text)
  }
  const halted = words.includes('halted') ? 'all' : words.includes('openings halted') ? 'openings' : null
  return { settings, rates, halted, options }
}

/** A bot with a position such as `long 2`. */
async function benchWith(before: string, service: 'spot' | 'futures', settings: Partial<BotSettings>) {
  const rules = service === 'spot' ? spotRules : futuresRules
  const bench = new PaperBench({ rules, settings })
  if (before === 'flat') return bench
  const [direction, size = ''] = before.split(' ')
  const side: Side = direction === 'long' ? 'buy' : 'sell'
  const order = { clientOrderId: 'before', symbol: rules.symbol, side, size } as const
  await bench.books.plan(0, { ...order, purpose: 'open', reduceOnly: false })
  const execution = { tradeId: '1', size, price: '100', fee: '0', feeAsset: 'USDT', filledAt: noon }
  const report = { exchangeOrderId: null, status: 'FILLED', executions: [execution], reason: null } as const
  await bench.books.report('before', { ...report, executions: [execution] }, { ...rules, feeRates: {} })
  return bench
}

test('trading.md has the result of every action in every position', async () => {
  const cases = rowsOf(await read(file), 'position before') as Case[]
  assert.ok(cases.length > 50)
  for (const [before, action, text, venue, orders, after, status] of cases) {
    const name = [before, action, text, venue].join(' | ')
    const services = venue === 'either' ? (['spot', 'futures'] as const) : ([venue] as ['spot' | 'futures'])
    for (const service of services) {
      const { settings, rates, halted, options } = readOptions(text)
      const bench = await benchWith(before, service, settings)
      Object.assign(bench.rates, rates)
      const outcome = await bench.follow(action, options, {
        whyHalted: (purpose) =>
          halted === 'all' || (halted === 'openings' && purpose === 'open') ? 'It is halted.' : null,
      })
      const placed = bench.books.orders
        .filter(({ clientOrderId }) => clientOrderId !== 'before')
        .map(({ purpose, side, size }) => `${purpose}: ${side} ${size}`)
      const { side, size } = await bench.position()
      assert.deepEqual(
        [placed.join(', ') || 'none', side === null ? 'flat' : `${side} ${size}`, outcome.status],
        [orders, after, status],
        name,
      )
      assert.ok(status === 'DONE' || outcome.reason !== null, name)
    }
  }
})

test('the table of trading.md has every combination of position, action and venue', async () => {
  const cases = rowsOf(await read(file), 'position before') as Case[]
  const told = new Set<string>()
  for (const [before, action, options, venue] of cases) {
    if (options !== '') continue
    const services = venue === 'either' ? ['spot', 'futures'] : [venue]
    for (const service of services) told.add(`${before.split(' ')[0]} ${action} ${service}`)
  }
  for (const before of ['flat', 'long', 'short']) {
    for (const action of ['LONG', 'SHORT', 'EXIT']) {
      for (const service of ['spot', 'futures']) {
        const isPossible = before !== 'short' || service === 'futures'
        assert.equal(told.has(`${before} ${action} ${service}`), isPossible, `${before} ${action} ${service}`)
      }
    }
  }
})

test('the example of trading.md adds up', async () => {
  const rows = rowsOf(await read(file), 'execution') as string[][]
  assert.equal(rows.length, 6)
  let position = flatPosition()
  for (const [text = '', ...expected] of rows) {
    const [, side, size = '', price = ''] = /^(buy|sell) (\S+) at (\S+)$/.exec(text)!
    // 0.1 % of whole amounts.
    const fee = String((Number(size) * Number(price)) / 1_000)
    const execution = { tradeId: '1', size, price, fee, feeAsset: 'USDT', filledAt: noon }
    const terms = { ...futuresRules, feeRates: {} }
    const applied = applyExecution(position, execution, side as Side, terms)
    position = applied.position
    const actual = [
      position.size,
      position.entryPrice ?? 'none',
      applied.realised,
      position.realised,
      position.fees,
    ]
    assert.deepEqual(actual, expected, text)
  }
})

test('trading.md quotes a refusal exactly', async () => {
  const bench = new PaperBench({ settings: { maxSignalAgeSeconds: 60 } })
  const signal = { ...bench.signal('LONG'), at: noon - 75_000 }
  const { reason } = await bench.follow(signal)
  assert.ok((await read(file)).includes(`\`${reason}\``), reason ?? '')
})
