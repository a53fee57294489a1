/** Compares `docs/signals.md` with the code that reads payloads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
