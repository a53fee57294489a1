import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExample, lackOf, nextPayload, stateOf, type Things } from './example.ts'

const whole = {
  dataWebhooks: [{ id: 1, name: 'Example', status: 'ACTIVE' }],
  botWebhooks: [{ id: 2, name: 'Example', status: 'ACTIVE' }],
  reactions: [
    { id: 3, name: 'Example', status: 'ACTIVE', data_webhook_id: 1, webhook_id: 2, send_signal: true },
  ],
  bots: [{ id: 4, name: 'Example', status: 'ACTIVE', mode: 'paper', webhook_id: 2 }],
} as unknown as Things
const nothing: Things = { dataWebhooks: [], botWebhooks: [], reactions: [], bots: [] }
const change = (field: keyof Things, values: object): Things =>
  ({ ...whole, [field]: whole[field].map((item) => ({ ...item, ...values })) }) as Things

test('the example is ready once all its parts exist, are attached and are on', () => {
  assert.equal(stateOf(findExample(whole)), 'ready')
  assert.equal(stateOf(findExample(nothing)), 'none')
  for (const field of ['dataWebhooks', 'botWebhooks', 'reactions', 'bots'] as const) {
    assert.equal(stateOf(findExample({ ...whole, [field]: [] })), 'incomplete', field)
    assert.equal(stateOf(findExample(change(field, { status: 'INACTIVE' }))), 'incomplete', field)
  }
})

test('what a part lacks is said', () => {
  const lack = (things: Things) => lackOf(findExample(things), 'reaction')
  assert.equal(lack(nothing), 'Does not exist yet')
  assert.equal(lack(change('reactions', { webhook_id: null })), 'Is not attached')
  assert.equal(lack(change('reactions', { send_signal: false })), 'Is not attached')
  assert.equal(lack(change('reactions', { status: 'SUSPENDED' })), 'Is suspended')
  assert.equal(lack(change('reactions', { status: 'INACTIVE' })), 'Is off')
  assert.equal(lack(whole), null)
})

test('a copy that is attached to something else, and a live bot, are no parts of it', () => {
  assert.equal(findExample(change('reactions', { data_webhook_id: 9 })).reaction, undefined)
  assert.equal(findExample(change('bots', { webhook_id: 9 })).bot, undefined)
  assert.equal(findExample(change('bots', { mode: 'live' })).bot, undefined)
  assert.equal(findExample(change('bots', { name: 'Example 2' })).bot, undefined)
})

test('of two parts with the same name, the oldest counts', () => {
  const twice = [{ ...whole.dataWebhooks[0]!, id: 8 }, ...whole.dataWebhooks]
  assert.equal(findExample({ ...whole, dataWebhooks: twice }).dataWebhook?.id, 1)
})

test('the payload that is offered does something', () => {
  assert.match(nextPayload(null), /100/)
  assert.match(nextPayload('EXIT'), /100/)
  assert.match(nextPayload('LONG'), /90/)
})
