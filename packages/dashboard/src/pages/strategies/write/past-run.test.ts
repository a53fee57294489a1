import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputOfRun, noteOf } from './past-run.ts'
import { bodyOf, describeInput, firstInput } from './test-input.ts'

const price = { symbol: 'BTC/USDT\u202e', price: 64000.5, exchange: 'sim', service: 'spot' }
const last_trigger = { action: 'LONG', price: 63500, at: '2030-01-01T11:00:00.000Z' }
const run = {
  ...{ id: 7, delivery_id: 9, started_at: '2030-01-01T12:00:00.000Z', version: 3 },
  seen: { price, state: { storage: { n: 1 }, last_trigger } },
}
const now = Date.parse('2030-01-02T12:00:00.000Z')
const present = { version: 3, usesPrice: true }

test('a test gets what the run saw, exactly as it was', () => {
  const input = { ...firstInput, ...inputOfRun(run) }
  assert.deepEqual(bodyOf(input, 'code', false, new Date(now)), {
    ...{ code: 'code', http: 'read', price, storage: { n: 1 }, last_trigger },
  })
  assert.equal(
    describeInput(input, false, present),
    'the price 64000.5 of run 7, the storage of run 7, the last action of run 7, only GET requests',
  )
})

test('a price that was changed is one of the present symbol, and its storage can be edited', () => {
  const input = { ...firstInput, ...inputOfRun(run), price: '5', storage: 'typed' as const }
  const body = bodyOf(input, 'code', false, new Date(now))
  assert.deepEqual([body.price, body.storage], [5, { n: 1 }])
  assert.match(describeInput(input, false, present), /^the price 5, the typed storage/)
})

test('without a kept storage, a test uses the present one', () => {
  const input = { ...firstInput, ...inputOfRun({ ...run, seen: { price, state: null } }) }
  const body = bodyOf(input, 'code', false, new Date(now))
  assert.deepEqual(body, { code: 'code', http: 'read', price })
})

test('the note says what was loaded and from when, and what is missing', () => {
  const loaded = noteOf(run, present, now)
  assert.match(
    loaded,
    /^Loaded from run 7 of Jan 1, .*: the payload of delivery 9, the price 64,000\.5 of BTC/,
  )
  assert.match(loaded, /, the storage from before it, and the last action then \(LONG at 63,500\)\.$/)
  assert.ok(!loaded.includes('\u202e'))
  const large = noteOf({ ...run, seen: { price: null, state: null } }, present, now)
  assert.match(
    large,
    /are not kept.*uses the present ones\. It had no price, so a test uses the current one\.$/,
  )
  const bare = noteOf(
    { ...run, delivery_id: null, version: 2, seen: null },
    { ...present, usesPrice: false },
    now,
  )
  assert.match(bare, /^Nothing that run 7 .* saw is kept\..*It ran version 2; the editor has version 3\.$/)
  const never = noteOf({ ...run, started_at: null, version: null, seen: null }, present, now)
  assert.match(never, /^Run 7 never started, so only the payload of delivery 9 is loaded\./)
})
