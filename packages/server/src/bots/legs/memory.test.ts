import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LegMemory, legTiming } from './memory.ts'

const key = '1 BTC/USDT:USDT'

const remember = () => new LegMemory({ ...legTiming, refusedMs: [60_000] })

test('a stop for a larger part of an opening does not wait after the refusal of a smaller one', () => {
  const memory = remember()
  const may = (size: string) => memory.mayPlace(key, { size, isMove: false })
  memory.failed(key, '0.01')
  assert.deepEqual([may('0.01'), may('0.005'), may('0.02')], [false, false, true])
  memory.failed(key, '0.02')
  assert.deepEqual([may('0.02'), may('0.03')], [false, true])
  // The opening is over, so its size is that of the position.
  memory.failed(key)
  assert.equal(may('0.03'), false)
})

test('the owner hears once that a stop is refused, and of a part only if it is refused again', () => {
  const memory = remember()
  const refusals = (...parts: (string | null)[]) =>
    parts.map((part) => {
      memory.failed(key, part)
      return memory.isNews(key)
    })
  assert.deepEqual(refusals('0.01', '0.02', '0.02', '0.03', null), [false, false, true, false, false])
  memory.keepOnly(new Set(), new Set())
  assert.deepEqual(refusals('0.01', null, null), [false, true, false])
})
