/** Checks the assembly of traces from rows, for what a test cannot bring about over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBots } from './bot-steps.ts'
import type { ApprovalRow, BotRow, DeliveryRow, OrderRow, RunRow } from './rows.ts'
import { addDelivery, addRun } from './run-steps.ts'
import { type ShownStep, Timeline } from './timeline.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const at = (ms: number) => new Date(noon + ms)

function rowOf(run: Partial<RunRow['run']>, others: Partial<RunRow> = {}): RunRow {
  return {
    run: {
      ...{ id: 7, strategyId: 2, trigger: 'webhook', status: 'SUCCEEDED', deliveryId: null, version: 3 },
      ...{ dueAt: null, queuedAt: at(0), startedAt: at(4), finishedAt: at(104), durationMs: 99.5 },
      ...{ error: null, violation: null, log: null, http: null, steps: null },
      ...run,
    },
    strategy: { name: 'Traced', type: 'code-reaction' },
    ...{ delivery: null, signal: null, approval: null, transcript: null, suspendedUntil: null },
    ...others,
  }
}

function shownOf(row: RunRow, nowMs = noon): { steps: ShownStep[]; reasons: string[] } {
  const timeline = new Timeline()
  addRun(timeline, { ...row, changes: [] }, nowMs)
  return { steps: timeline.shown(), reasons: timeline.reasons() }
}

const kindsOf = (steps: ShownStep[]) => steps.map(({ kind }) => kind)

test('a run from a schedule begins with its due time', () => {
  const { steps } = shownOf(rowOf({ trigger: 'schedule', dueAt: at(-12) }))
  assert.deepEqual(kindsOf(steps), ['due', 'queued', 'started', 'ended'])
  assert.deepEqual([steps[0]!.took_ms, steps[1]!.took_ms, steps[3]!.run_ms], [12, 4, 100])
})

test('the times of a payload and of its wait follow each other, and count nothing twice', () => {
  const timeline = new Timeline()
  const arrived = addDelivery(timeline, { id: 5, receivedAt: at(0), storedAt: at(30) } as DeliveryRow)
  addRun(timeline, { ...rowOf({ startedAt: at(125) }), changes: [] }, noon, arrived)
  assert.deepEqual(
    timeline.shown().map(({ kind, offset_ms, took_ms }) => [kind, offset_ms, took_ms]),
    [
      ['received', 0, null],
      ['stored', 30, 30],
      ['queued', 30, 95],
      ['started', 125, null],
      ['ended', 125, 99.5],
    ],
  )
})

test('lines and calls are in the order of the code, and answers where they arrived', () => {
  const call = {
    ms: 2,
    tookMs: 90,
    name: 'http' as const,
    asked: 'GET https://a.example/',
    answered: 'Status 200.',
  }
  const signal = { id: 9, action: 'LONG' as const, symbols: ['BTCUSDT'], price: 5, reason: null }
  const steps: RunRow['run']['steps'] = {
    waitedMs: 1.5,
    steps: [
      [1, 3],
      { ...call, failed: false },
      [2, 3],
      { ms: 93, tookMs: 4, name: 'action', asked: 'LONG', answered: 'Signal 9.', failed: false },
      { ms: 98, tookMs: null, name: 'rate', asked: 'BINANCE BTC', answered: '', failed: false },
    ],
    leftOut: 2,
  }
  const row = rowOf(
    { steps, log: 'a1\na2\nrest\n' },
    // The clock of the database is five seconds ahead.
    { signal: { ...signal, createdAt: at(5_099) } },
  )
  const shown = shownOf(row)
  assert.deepEqual(
    shown.steps.map(({ kind, text, run_ms }) => [kind, text, run_ms]),
    [
      ['queued', 'The payload queued the run.', null],
      ['started', 'The run of version 3 of the reaction started.', 0],
      ['log', 'a1', 2.5],
      ['call', '$.Http GET https://a.example/', 3.5],
      ['log', 'a2', 3.5],
      ['answer', 'Status 200.', 93.5],
      ['call', '$.Strategy.action LONG', 94.5],
      ['signal', 'The service stored the signal LONG for BTCUSDT at the price 5.', null],
      ['answer', 'Signal 9.', 98.5],
      ['call', '$.getExchangeRate BINANCE BTC', 99.5],
      ['log', 'rest', null],
      ['cut', '2 further steps are not shown: the record of a run has room for only so many.', null],
      ['ended', 'The run succeeded.', 100],
    ],
  )
  assert.deepEqual(shown.reasons, ['The run ended before the answer.'])
})

test('a run from before there were times shows its log as one step', () => {
  const { steps } = shownOf(rowOf({ log: 'one\ntwo\n', version: null }))
  assert.deepEqual(
    steps.slice(1).map(({ kind, text, at: when }) => [kind, text, when === null]),
    [
      ['started', 'The run of the reaction started.', false],
      ['log', 'one\ntwo', true],
      ['ended', 'The run succeeded.', false],
    ],
  )
})

test('a conversation with a model has its questions, calls and answers with their durations', () => {
  const transcript = JSON.stringify([
    { ms: 0, type: 'prompt', role: 'user', text: 'x'.repeat(5_000) },
    { ms: 1, type: 'asked', service: 'OpenAI', model: 'gpt', fallback: true },
    { ms: 801, type: 'answer', text: 'Hm.', finish: 'tool-calls', tokens: { input: 3, output: 4 } },
    { ms: 802, type: 'call', tool: 'open_position', input: '{"direction":"LONG"}' },
    { ms: 812, type: 'result', tool: 'open_position', status: 'refused', text: '{"error":"No."}' },
    { ms: 900, type: 'failure', kind: 'budget', text: 'No tokens are left.' },
    { ms: 901, type: 'cut' },
  ])
  const { steps, reasons } = shownOf(rowOf({ finishedAt: at(950) }, { transcript }))
  assert.deepEqual(
    steps.slice(2).map(({ kind, run_ms, took_ms }) => [kind, run_ms, took_ms]),
    [
      ['prompt', 0, null],
      ['asked', 1, null],
      ['reply', 801, 800],
      ['call', 802, 10],
      ['answer', 812, null],
      ['failure', 900, 88],
      ['cut', 901, null],
      ['ended', 946, 99.5],
    ],
  )
  assert.equal(steps[2]!.text.length, 1_000)
  assert.match(reasons[0]!, /^open_position was not carried out: refused: /)
})

test('an approval says what its owner decided, or until when it waits', () => {
  const approval: ApprovalRow = {
    ...{ id: 1, action: 'LONG', symbols: ['A', 'B', 'C', 'D', 'E', 'F', 'G'], status: 'PENDING' },
    ...{ createdAt: at(50), expiresAt: at(60_050), decidedAt: null },
  }
  const tell = (change: Partial<ApprovalRow>, nowMs = noon) => {
    const { steps, reasons } = shownOf(rowOf({}, { approval: { ...approval, ...change } }), nowMs)
    return [steps.findLast(({ kind }) => kind === 'approval' || kind === 'decision')!, reasons] as const
  }
  const [waiting, until] = tell({})
  assert.equal(waiting.text, 'LONG for A, B, C, D, E and 2 more waits for the approval of the owner.')
  assert.match(until.join(), /possible until 2026-03-01T12:01:00\.050Z/)
  const [expired, late] = tell({}, noon + 60_050)
  assert.deepEqual([expired.at, late.length], [at(60_050).toISOString(), 1])
  assert.deepEqual(tell({ status: 'APPROVED', decidedAt: at(70) })[1], [])
  assert.match(tell({ status: 'REJECTED', decidedAt: at(70) })[1].join(), /rejected.*not sent/)
  assert.match(tell({ status: 'SUPERSEDED', decidedAt: at(70) })[1].join(), /newer action/)
})

const order: OrderRow = {
  ...{
    id: 4,
    symbol: 'BTC/USDT',
    side: 'buy',
    purpose: 'open',
    size: '2.50',
    filledSize: '1',
    status: 'OPEN',
  },
  ...{
    averagePrice: '10',
    reason: null,
    createdAt: at(0),
    sentAt: at(1),
    acknowledgedAt: at(31),
    updatedAt: at(40),
  },
}

function botRow(botSignal: Partial<BotRow['botSignal']>, others: Partial<BotRow> = {}): BotRow {
  return {
    botSignal: {
      ...{ id: 3, botId: 1, signalId: 9, symbol: 'BTCUSDT', status: 'WORKING', reason: null, refusals: 0 },
      ...{ queuedAt: at(0), dueAt: null, finishedAt: null },
      ...botSignal,
    },
    ...{ bot: { name: 'B', mode: 'live' }, order: null, fill: null, ...others },
  }
}

test('an order has each of its fills, also from an exchange whose clock is behind', () => {
  const fill = {
    id: 1,
    size: '1',
    price: '10',
    fee: '0.01',
    feeAsset: 'BNB',
    filledAt: at(-500),
    bookedAt: at(35),
  }
  const timeline = new Timeline()
  const done = botRow({ status: 'DONE', reason: 'Only 1 of 2.5 BTC was executed.', finishedAt: at(50) })
  const rows = [fill, { ...fill, id: 2, filledAt: at(20) }].map((each) => ({
    ...done,
    order: { ...order, status: 'CANCELED' as const, reason: 'Too slow.' },
    fill: each,
  }))
  addBots(timeline, rows, new Map())
  assert.deepEqual(
    timeline.shown().map(({ kind, offset_ms, took_ms }) => [kind, offset_ms, took_ms]),
    [
      ['bot', 0, 50],
      ['order', 0, 40],
      ['sent', 1, 30],
      ['fill', 1, null],
      ['fill', 20, null],
      ['acknowledged', 31, null],
      ['booked', 35, 535],
      ['booked', 35, 15],
      ['settled', 40, null],
      ['settled', 50, null],
    ],
  )
  assert.deepEqual(timeline.reasons(), ['Too slow.'])
})

test('a signal or an order that has not ended says what it waits for', () => {
  const timeline = new Timeline()
  addBots(
    timeline,
    [
      botRow({ status: 'WAITING', reason: 'Trading is halted.' }),
      botRow(
        { id: 5 },
        { order: { ...order, status: 'UNKNOWN', reason: 'No answer.', acknowledgedAt: null } },
      ),
      botRow({ id: 6, status: 'FAILED', reason: null, finishedAt: at(9) }),
    ],
    new Map(),
  )
  assert.deepEqual(timeline.reasons(), [
    'The close waits for the owner of the bot. Trading is halted.',
    'The bot is working on the signal.',
    'The order is UNKNOWN: No answer.',
    'Bot 1 could not follow the signal.',
  ])
})
