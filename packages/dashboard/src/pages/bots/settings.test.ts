import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type SignalBotInList } from '@tickwright/client'
import { amountUnit, bodyOf, changesOf, missingFor, mustConfirm, textsOf, withChanges } from './settings.ts'

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries({ mode: 'paper', name: '', on_limit: 'stop', ...fields }))
    data.set(name, value)
  return data
}

const bot = {
  id: 1,
  type: 'signal-cex',
  status: 'ACTIVE',
  name: 'Follower',
  mode: 'live',
  webhook_id: 3,
  exchange_id: 2,
  connection_id: 5,
  folder_id: null,
  demo: false,
  symbol: 'BTC/USDT',
  on_limit: 'stop',
  strict_amount: false,
  cooldown_seconds: null,
  max_signal_age_seconds: 60,
  latency_ms: 0,
  delay_seconds: 0,
  direction: 'both',
  max_open_positions: null,
  max_drawdown: null,
  amount_unit: 'quote',
  amount_in: 'USDT',
  size_unit: null,
  amount_currency: 'USDT',
  amount_rate: null,
  amount: '0.000000000000000001',
  fee_rate: '0.001',
  slippage_rate: '0.0005',
  spread_rate: '0',
  size_step: null,
  min_size: null,
  min_notional: null,
  maintenance: null,
  participation: null,
  funding: 'off' as const,
  start_balance: null,
  max_position: '12345678901234567.123456789012345678',
  protection: null,
  require_stop: false,
  unprotected_seconds: 60,
  on_unprotected: 'watch',
  leverage: null,
  margin_mode: null,
  entry: null,
  max_stop_distance: null,
  max_daily_loss: null,
  limit_reached_at: null,
  highest_equity: null,
  drawdown_reached_at: null,
  drawdown_equity: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
} satisfies SignalBotInList

test('of a new bot, an empty field gets the default of the service, or stands for no limit', () => {
  const fields = { amount: '', symbol: '', max_position: '', start_balance: '', max_signal_age_seconds: '' }
  const body = bodyOf(form({ ...fields, exchange_id: '472', webhook_id: '7', connection_id: '9' }), true)
  assert.deepEqual(body, {
    name: '',
    mode: 'paper',
    webhook_id: 7,
    exchange_id: 472,
    connection_id: null,
    strict_amount: false,
    on_limit: 'stop',
    direction: 'both',
    require_stop: false,
    symbol: null,
    max_position: null,
    max_signal_age_seconds: null,
  })
})

test('an amount names its currency, also before a change of it is saved', () => {
  assert.equal(amountUnit(bot), 'USDT')
  const base = { ...bot, amount_unit: 'base' as const, amount_in: 'BTC' }
  assert.equal(amountUnit(base), 'BTC')
  assert.equal(amountUnit({ ...base, amount_in: null }), 'of the base currency')
  assert.equal(amountUnit(withChanges(bot, { amount_unit: 'base' })), 'of the base currency')
  assert.equal(amountUnit(withChanges(base, { amount_unit: 'quote' })), 'USDT')
  assert.equal(amountUnit(withChanges(base, { amount: '2' })), 'BTC')
  assert.equal(amountUnit(withChanges(base, { symbol: 'ETHUSDT' })), 'of the base currency')
})

test('decimals reach the service digit by digit', () => {
  const { amount, max_position } = textsOf(bot)
  const body = bodyOf(form({ amount: amount!, max_position: max_position! }), false)
  assert.equal(body.amount, bot.amount)
  assert.equal(body.max_position, bot.max_position)
})

test('seconds that are no number are refused at their field, and never mean that there is no limit', () => {
  for (const text of ['soon', '-1', '1.5', '1e3', '９']) {
    assert.throws(
      () => bodyOf(form({ max_signal_age_seconds: text }), false),
      (error) => error instanceof ApiError && error.details[0]!.field === 'body.max_signal_age_seconds',
    )
  }
})

test('only what differs is sent, and a list that has not been read yet changes nothing', () => {
  const texts = textsOf(bot)
  const asItIs = form({ ...texts, name: 'Follower', mode: 'live' })
  assert.deepEqual(changesOf(bodyOf(asItIs, false), bot), {})
  const changed = form({ ...texts, name: 'Follower', mode: 'live', amount: '5', webhook_id: '' })
  assert.deepEqual(changesOf(bodyOf(changed, false), bot), { amount: '5', webhook_id: null })
  const protection = {
    ...{ stop_loss: '2%', take_profit: [{ at: '4%', part: '1' }], trailing: null, break_even: null },
    exit_after_seconds: null,
  }
  const same = { 'protection.stop_loss': '2%', 'protection.take_profit[0].at': '4%' }
  const shown = form({ ...texts, name: 'Follower', mode: 'live', ...same })
  assert.deepEqual(changesOf(bodyOf(shown, false), { ...bot, protection }), {})
  assert.deepEqual(changesOf(bodyOf(shown, false), bot), { protection })
})

test('a change of a live bot that is on must be confirmed if real orders would differ', () => {
  assert.equal(mustConfirm(bot, { amount: '5' }), true)
  assert.equal(mustConfirm(bot, { name: 'New' }), false)
  assert.equal(mustConfirm({ ...bot, status: 'INACTIVE' }, { amount: '5' }), false)
  assert.equal(mustConfirm({ ...bot, mode: 'paper' }, { amount: '5' }), false)
  assert.equal(mustConfirm({ ...bot, mode: 'paper' }, { mode: 'live' }), true)
})

test('what keeps a bot from trading is named', () => {
  const trading = { live_trading: true, halted: false, halt: null }
  const connection = { status: 'ACTIVE', obstacles: [] as string[] }
  assert.deepEqual(missingFor({ mode: 'live', connection, trading }), [])
  assert.deepEqual(
    missingFor({ mode: 'paper', connection: null, trading: { ...trading, live_trading: false } }),
    [],
  )
  const off = { status: 'INACTIVE', obstacles: ['Upgrade the account.'] }
  assert.equal(
    missingFor({
      mode: 'live',
      connection: off,
      trading: { live_trading: false, halted: true, halt: null },
    }).length,
    4,
  )
  const halt = { reason: 'Wrong prices', user_id: 1, at: null }
  assert.match(
    missingFor({ mode: 'paper', connection: null, trading: { ...trading, halted: true, halt } })[0]!,
    /gave: Wrong prices$/,
  )
  assert.match(missingFor({ mode: 'live', connection: null, trading })[0]!, /no connection/)
})
