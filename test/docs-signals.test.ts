/** Holds what `docs/signals.md` says of payloads against the code that reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOutsideSignal } from '../packages/server/src/webhooks/outside-payload.ts'
import { blocksOf } from './documents.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const file = 'docs/signals.md'

/** What stands in backquotes. */
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

test('signals.md tells which action each side is', async () => {
  const rows = rowsOf(await read(file), 'side')
  assert.equal(rows.length, 3)
  for (const [sides, action] of rows) {
    for (const side of quoted(sides!)) {
      assert.equal(readOutsideSignal({ symbol: 'BTCUSDT', side }).action, action, side)
    }
  }
})

test('the messages that signals.md shows for TradingView are signals, once they are filled in', async () => {
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
