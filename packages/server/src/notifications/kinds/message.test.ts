import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOf } from './message.ts'

const order = {
  ...{ bot_id: 3, bot_name: 'Follower', symbol: 'BTC/USDT', side: 'buy', purpose: 'open', origin: null },
  ...{ size: '0.5', filled_size: '0.5', average_price: '65000.25', status: 'FILLED', reason: null },
}

const said = (type: string, data: Record<string, unknown>) => {
  const { title, lines } = messageOf({ type, data })
  return [title, ...lines]
}

test('an order says what was traded, at what price, and with what money', () => {
  assert.deepEqual(said('order.settled', { ...order, mode: 'paper', demo: false }), [
    'Bought 0.5 BTC/USDT at 65,000.25',
    'Bot Follower, paper',
    'It opens or increases the position.',
  ])
  const stopped = {
    ...order,
    side: 'sell',
    purpose: 'close',
    origin: 'stop_loss',
    mode: 'live',
    demo: true,
    realised: '-1234.5',
  }
  assert.deepEqual(said('order.settled', stopped), [
    'Sold 0.5 BTC/USDT at 65,000.25',
    'Profit -1,234.5.',
    'Bot Follower, demo account',
    'The stop of the position.',
  ])
  const rejected = { ...order, status: 'REJECTED', filled_size: '0', average_price: null, mode: 'live' }
  assert.deepEqual(said('order.settled', { ...rejected, demo: false, reason: 'Insufficient balance' }), [
    'Order rejected: buy 0.5 BTC/USDT',
    'Bot Follower, live',
    'It opens or increases the position.',
    'Insufficient balance.',
  ])
  const part = { ...order, status: 'CANCELED', filled_size: '0.2', mode: 'live', demo: false }
  assert.deepEqual(said('order.settled', part).slice(0, 2), [
    'Order cancelled: buy 0.5 BTC/USDT',
    'Filled: 0.2 at 65,000.25.',
  ])
})

test('each event has a message of its own', () => {
  const bot = { bot_id: 3, bot_name: 'Follower', symbol: 'BTC/USDT', mode: 'live', demo: false }
  const cases: [type: string, data: Record<string, unknown>, title: string, line: string][] = [
    [
      'signal.created',
      {
        action: 'LONG',
        symbols: ['BTC/USDT', 'ETH/USDT'],
        price: 100,
        strategy_name: 'Breakout',
        delivered: true,
      },
      'Signal: LONG BTC/USDT, ETH/USDT at 100',
      'Strategy Breakout',
    ],
    [
      'signal.failed',
      { ...bot, action: 'EXIT', reason: 'No price' },
      'Signal failed: EXIT BTC/USDT',
      'No price.',
    ],
    [
      'order.unknown',
      { ...bot, side: 'buy', size: '1' },
      'Order without an answer: buy 1 BTC/USDT',
      'Bot Follower, live',
    ],
    [
      'limit.reached',
      {
        ...bot,
        limit: 'max_daily_loss',
        loss: '120',
        max_daily_loss: '100',
        amount_currency: 'USDT',
        closing: ['A/B'],
      },
      'Daily loss limit reached: 120 USDT',
      'The bot closes A/B.',
    ],
    [
      'limit.reached',
      {
        ...bot,
        limit: 'max_drawdown',
        equity: '8000',
        highest_equity: '10000',
        max_drawdown: '20%',
        closing: [],
      },
      'Drawdown limit reached: 20%',
      'Equity 8,000, highest 10,000.',
    ],
    [
      'position.opened',
      { ...bot, kind: 'order', side: 'long', quantity: '0.5', entry_price: '65000' },
      'Opened: long 0.5 BTC/USDT at 65,000',
      'Bot Follower, live',
    ],
    [
      'position.closed',
      {
        ...{ ...bot, mode: 'paper', kind: 'order', origin: 'stop_loss', side: 'short', quantity: '0.5' },
        ...{ entry_price: '65000', exit_price: '64000.5', realised: '499.75', currency: 'USDT' },
      },
      'Closed: short BTC/USDT, profit 499.75 USDT',
      'From 65,000 to 64,000.5, size 0.5.',
    ],
    [
      'position.closed',
      { ...bot, kind: 'liquidation', origin: null, side: 'long', realised: '-5', currency: 'USDT' },
      'Closed: long BTC/USDT, profit -5 USDT',
      'The exchange liquidated it.',
    ],
    [
      'bot.failed',
      { ...bot, failed: 3, action: 'LONG', reason: 'No price' },
      'Bot fails: Follower',
      'Its last 3 signals have failed, live',
    ],
    [
      'trading.switched',
      { halted: true, live_trading: true, halt: { reason: 'Wrong prices' }, changed: ['halted'] },
      'Trading is halted',
      'Wrong prices.',
    ],
    [
      'trading.switched',
      { halted: 'openings', live_trading: false, halt: null, changed: ['live_trading'] },
      'Live trading is off',
      'Openings are halted.',
    ],
    [
      'position.closed_outside',
      {
        ...bot,
        kind: 'external',
        side: 'long',
        size: '0.5',
        price: '9',
        realised: '-12.5',
        position_size: '0',
      },
      'Closed outside the bot: long 0.5 BTC/USDT at 9',
      'Profit -12.5.',
    ],
    [
      'position.liquidated',
      {
        ...bot,
        kind: 'liquidation',
        side: 'short',
        size: '2',
        price: '9',
        realised: '-1',
        position_side: 'short',
        position_size: '1',
      },
      'Liquidated: short 2 BTC/USDT at 9',
      'Still open: short 1.',
    ],
    [
      'books.differ',
      { ...bot, books_size: '1', account_size: '0', reason: 'Nobody knows' },
      'Books and account differ: BTC/USDT',
      'The books say 1, the account says 0.',
    ],
    [
      'close.refused',
      { ...bot, refusals: 3, reason: 'Market closed' },
      'Close refused: BTC/USDT',
      'The exchange has refused it 3 times. The bot tries again.',
    ],
    [
      'stop.refused',
      { ...bot, stop_price: '58000' },
      'No stop at the exchange: BTC/USDT at 58,000',
      'Bot Follower, live',
    ],
    [
      'stop.too_late',
      { ...bot, stop_price: '58000', liquidation_price: '59000' },
      'Stop beyond the liquidation: BTC/USDT at 58,000',
      'The exchange liquidates at 59,000, before the stop.',
    ],
    [
      'strategy.suspended',
      {
        strategy_name: 'Breakout',
        until: '2026-05-28T20:26:40.000Z',
        rule: 'actions_per_run',
        limit: 1,
        actual: 2,
      },
      'Suspended: Breakout',
      'Until 2026-05-28 20:26 UTC. Its positions stay open.',
    ],
    [
      'run.failed',
      { strategy_name: 'Breakout', error: { message: 'too far' } },
      'Run failed: Breakout',
      'too far.',
    ],
    [
      'approval.requested',
      {
        strategy_name: 'Judge',
        action: 'LONG',
        symbols: ['A/B'],
        change: null,
        expires_at: '2026-05-28T20:26:40.000Z',
      },
      'Approve? LONG A/B',
      'Decide before 2026-05-28 20:26 UTC.',
    ],
    [
      'approval.requested',
      { strategy_name: 'Judge', change: { strategy_name: 'Breakout', status: null }, expires_at: '' },
      'Approve? New code of Breakout',
      'Strategy Judge',
    ],
    [
      'digest',
      {
        ...{ since: '2026-01-14T08:00:00.000Z', bots: 3, active_bots: 2, approvals: 0 },
        money: [
          { mode: 'paper', demo: false, currency: 'EUR', realised: '1234.5', orders: 2, open_positions: 1 },
          { mode: 'live', demo: true, currency: 'USDT', realised: '-1', orders: 1, open_positions: 0 },
        ],
      },
      'Since 2026-01-14 08:00 UTC',
      'paper: profit 1,234.5 EUR, 2 orders, 1 open',
    ],
    [
      'backtest.finished',
      {
        ...{ id: 7, symbol: 'A/B', status: 'FINISHED', error: null },
        bots: [{ name: 'Slow', return_percent: 1.234, trades: 5 }],
      },
      'Backtest 7 finished: A/B',
      'Slow: 1.23 %, 5 trades.',
    ],
    ['test', { endpoint_id: 1 }, 'Test message', 'The events that you chose arrive here.'],
  ]
  for (const [type, data, title, line] of cases) {
    const [first, ...lines] = said(type, data)
    assert.equal(first, title)
    assert.ok(lines.includes(line), `${type}: ${lines.join(' | ')}`)
  }
})

test('a message is short, and each part is one visible line, whatever the event contains', () => {
  const long = 'x\u202e\u0000\n'.repeat(5_000)
  const data = {
    ...order,
    bot_name: long,
    symbol: long,
    reason: long,
    status: 'REJECTED',
    mode: 'live',
    demo: false,
  }
  for (const type of ['order.settled', 'signal.created', 'run.failed', 'made.up', 'toString', '__proto__']) {
    const { title, lines } = messageOf({
      type,
      data: { ...data, strategy_name: long, symbols: [long, 1, null] },
    })
    for (const part of [title, ...lines]) {
      assert.ok(part.length <= 160)
      assert.doesNotMatch(part, /[\p{Cc}\p{Cf}]/u)
    }
    assert.ok(title.length <= 120 && lines.length <= 5)
  }
  // Events of the wrong shape are told as well as possible.
  assert.deepEqual(said('order.settled', {}).length > 0, true)
})
