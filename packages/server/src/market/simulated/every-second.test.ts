import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/until.ts'
import { EverySecond } from './every-second.ts'

type Item = { seconds: number[] }
const anItem = (): Item => ({ seconds: [] })

function start(t: { after(fn: () => void): void }, clockMs = Date.now): EverySecond<Item> {
  const everySecond = new EverySecond<Item>(clockMs, (item, secondMs) => item.seconds.push(secondMs))
  t.after(() => everySecond.close())
  return everySecond
}

test('each item gets one call at the start of every second', async (t) => {
  const everySecond = start(t)
  const items = [anItem(), anItem(), anItem()]
  for (const item of items) everySecond.add(item)
  await until('three seconds', async () => items.every(({ seconds }) => seconds.length >= 4))
  for (const { seconds } of items) {
    for (const [index, second] of seconds.entries()) {
      assert.equal(second % 1000, 0)
      assert.ok(index === 0 || second > seconds[index - 1]!, String(seconds))
    }
  }
})

test('a new item gets a call for the current second, after the turn of the caller', async (t) => {
  const everySecond = start(t, () => 1999)
  const item = anItem()
  everySecond.add(item)
  assert.deepEqual(item.seconds, [])
  await Promise.resolve()
  assert.deepEqual(item.seconds, [1000])
})

test('a removed item gets no call, even if the call of another item removed it', async (t) => {
  const removed = anItem()
  let remove = () => {}
  const everySecond = new EverySecond<Item>(Date.now, (item, secondMs) => {
    item.seconds.push(secondMs)
    remove()
  })
  t.after(() => everySecond.close())
  const remover = anItem()
  everySecond.add(remover)
  remove = everySecond.add(removed)
  await until('two seconds', async () => remover.seconds.length >= 2)
  assert.deepEqual(removed.seconds, [])
  remove()
})

test('it goes on when the clock is set forwards or back', async (t) => {
  let offsetMs = 0
  const everySecond = start(t, () => Date.now() + offsetMs)
  const item = anItem()
  everySecond.add(item)
  for (const [count, movedMs] of [
    [2, 3_600_000],
    [3, -7_200_000],
    [5, 0],
  ] as const) {
    await until('the next second', async () => item.seconds.length >= count)
    offsetMs = movedMs
  }
  const jumps = item.seconds.slice(1).map((second, index) => second - item.seconds[index]!)
  assert.ok(
    jumps.some((jump) => jump > 3_000_000) && jumps.some((jump) => jump < -3_000_000),
    String(item.seconds),
  )
})

test('an item can be removed twice, and added again', async (t) => {
  const everySecond = start(t)
  const item = anItem()
  const stop = everySecond.add(item)
  stop()
  stop()
  everySecond.add(item)
  await until('a second', async () => item.seconds.length >= 2)
})

test('after closing, there are no calls, and nothing keeps the process alive', async () => {
  const everySecond = new EverySecond<Item>(Date.now, () => assert.fail('It got a call.'))
  everySecond.add(anItem())
  everySecond.close()
  everySecond.add(anItem())()
  await Promise.resolve()
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout')
  assert.deepEqual(timers, [])
})
