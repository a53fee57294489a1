/** Compares `docs/signals.md` with the code that reads payloads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AlertFormat } from '../packages/server/src/webhooks/formats/format.ts'
import { readPayload } from '../packages/server/src/webhooks/formats/read.ts'
import { readOutsideSignal } from '../packages/server/src/webhooks/outside-payload.ts'
import { blocksOf } from './documents.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const file = 'docs/signals.md'

/** The texts in backquotes. */
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

test('signals.md has the action of each side', async () => {
  const rows = rowsOf(await read(file), 'side')
  assert.equal(rows.length, 3)
  for (const [sides, action] of rows) {
    for (const side of quoted(sides!)) {
      assert.equal(readOutsideSignal({ symbol: 'BTCUSDT', side }).action, action, side)
    }
  }
})

test('the TradingView messages in signals.md are signals after TradingView fills them in', async () => {
  const messages = (await blocksOf(file)).filter(
    ({ language, text }) => language === 'json' && text.includes('{{'),
  )
  assert.equal(messages.length, 2)
  const values: Record<string, string[]> = {
    '{{ticker}}': ['BTCUSDT.P'],
    '{{strategy.market_position}}': ['long', 'short', 'flat'],
    '{{strategy.order.id}}': ['Long'],
  }
  for (const { text } of messages) {
    assert.throws(() => readOutsideSignal(JSON.parse(text)))
    for (const position of values['{{strategy.market_position}}']!) {
      const filled = text.replaceAll(/\{\{[\w.]+\}\}/g, (name) => {
        const known = values[name]
        assert.ok(known, name)
        return known.includes(position) ? position : known[0]!
      })
      assert.deepEqual(readOutsideSignal(JSON.parse(filled)).symbols, ['BTCUSDT.P'])
    }
  }
})

/** In each format, an opening that uses as many fields as one payload can. */
const receivedAtMs = Date.parse('2026-01-31T12:00:00Z')
const dated = { timestamp: '2026-01-31T12:00:00Z', max_lag: 300 }
const openings: Record<Exclude<AlertFormat, 'tickwright'>, Record<string, unknown>> = {
  tradingview: {
    ...{ ticker: 'BTCUSDT', action: 'buy', market_position: 'long', contracts: '0.01', price: '50000' },
    ...{ market_position_size: '0.01', ...dated },
  },
  '3commas': {
    ...{ tv_instrument: 'BTCUSDT', action: 'buy', trigger_price: '50000', ...dated },
    strategy_info: { market_position: 'long', market_position_size: '0.01' },
    order: { amount: '0.01', currency_type: 'base' },
  },
  traderspost: { ticker: 'BTCUSDT', action: 'buy', price: '50000', quantity: '0.01', time: dated.timestamp },
  openalgo: { symbol: 'BTCUSDT', action: 'BUY', quantity: '0.01', price: '50000', ...dated },
  freqtrade: {
    event: 'entry_fill',
    pair: 'BTC/USDT',
    direction: 'Long',
    amount: '1',
    open_rate: '5',
    ...dated,
  },
}
/** What the row about a field needs besides it. */
const besides: Record<string, Record<string, unknown>> = {
  'order.price': { order: { order_type: 'limit' } },
  'order.price_percent': { order: { order_type: 'limit' } },
  'stop_loss.order_type': { stop_loss: { trigger_price_percent: 2 } },
  'stop_loss.trailing': { stop_loss: { trigger_price_percent: 2 } },
  'takeProfit.amount': { takeProfit: { percent: 5 } },
  'stopLoss.amount': { stopLoss: { percent: 5 } },
  limitPrice: { orderType: 'limit' },
  timeInForce: { orderType: 'limit', limitPrice: '49000' },
}

/** What became of a field: `used`, `ignored` or `refused`. */
function fateOf(format: AlertFormat, payload: Record<string, unknown>, field: string): string {
  try {
    const { ignored } = readPayload(format, payload, { receivedAtMs })
    return ignored.some((name) => name === field || name.startsWith(`${field}.`)) ? 'ignored' : 'used'
  } catch (error) {
    const { details } = error as { details: { field: string }[] }
    assert.ok(
      details.every((detail) => detail.field.startsWith(`body.${field}`)),
      `${format} ${field}: ${JSON.stringify(details)}`,
    )
    return 'refused'
  }
}

test('signals.md says what happens to each field of each format', async () => {
  const text = await read(file)
  for (const [format, opening] of Object.entries(openings) as [AlertFormat, Record<string, unknown>][]) {
    const rows = rowsOf(text, `field of ${format}`)
    assert.ok(rows.length > 10, format)
    assert.equal(fateOf(format, opening, 'nothing'), 'used', format)
    const told = new Set(rows.map(([field]) => field!.split('.')[0]!))
    assert.deepEqual(
      Object.keys(opening).filter((name) => !told.has(name)),
      [],
      format,
    )
    for (const [field, example, fate] of rows as [string, string, string][]) {
      const [outer, inner] = field.split('.') as [string, string?]
      const payload: Record<string, unknown> = { ...opening }
      for (const [name, value] of Object.entries(besides[field] ?? {}))
        payload[name] = joined(payload[name], value)
      const value: unknown = JSON.parse(example)
      payload[outer] = inner === undefined ? value : joined(payload[outer], { [inner]: value })
      assert.equal(fateOf(format, payload, field), fate, `${format} ${field} ${example}`)
    }
  }
})

function joined(one: unknown, other: unknown): unknown {
  return typeof other === 'object' ? { ...(one as object), ...other } : other
}

test('the messages of tradingview.md are signals after TradingView fills them in', async () => {
  const blocks = await blocksOf('docs/tradingview.md')
  const written = blocks
    .filter(({ text }) => text.includes('{{'))
    .flatMap(({ language, text }) => {
      if (language === 'json') return [text]
      return [...text.matchAll(/'(\{[^']*\})'/g)].map(([, message]) => message!)
    })
  assert.equal(written.length, 4)
  const values: Record<string, string> = {
    ...{ ticker: 'BTCUSDT.P', timenow: '2026-01-31T12:00:00Z', 'strategy.order.price': '50000' },
    ...{ 'strategy.order.action': 'sell', 'strategy.order.contracts': '3', 'strategy.order.id': 'S' },
    ...{ 'strategy.market_position': 'short', 'strategy.market_position_size': '2' },
    'strategy.prev_market_position': 'long',
  }
  for (const text of written) {
    const filled = text.replaceAll(/\{\{([\w.]+)\}\}/g, (_all, name: string) => {
      assert.ok(values[name] !== undefined, name)
      return values[name]
    })
    const { signal, ignored } = readPayload('tradingview', JSON.parse(filled), { receivedAtMs })
    assert.deepEqual([signal.symbols, ignored], [['BTCUSDT.P'], []])
    if (text.includes('strategy.')) {
      const options = { id: 'S', size: 100_000, sizeUnit: 'quote' }
      assert.deepEqual([signal.action, signal.options], ['SHORT', options])
    }
  }
})
