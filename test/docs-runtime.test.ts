/** Runs the examples of `docs/runtime.md` in the sandbox, and compares its tables with the code. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type BotPosition,
  forbiddenIdentifiers,
  type HttpResponse,
  packCandles,
} from '../packages/sandbox/src/index.ts'
import * as limits from '../packages/sandbox/src/limits.ts'
import { inputOf, logged, recordingHost, testSandbox } from '../packages/sandbox/src/test-support.ts'
import { checkOptions } from '../packages/server/src/signals/action-options.ts'
import { blocksOf } from './documents.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

const path = 'docs/runtime.md'
const page = await read(path)
const blocks = await blocksOf(path)
const modulePath = fileURLToPath(import.meta.resolve('@tickwright/client/sandbox'))
const { run } = await testSandbox({ apiClient: { modulePath, baseUrl: 'https://tickwright.example' } })

/** The strategy that the page describes. */
const input = inputOf({
  strategy: {
    id: 7,
    type: 'code-reaction',
    signal: {
      symbols: ['BTCUSDT', 'ETHUSDT'],
      lastTrigger: { action: 'LONG', price: 100, at: 1_767_225_600_000 },
    },
  },
  storage: '{"prices": [101, 102]}',
  request: {
    data: '{"symbol": "BTCUSDT", "last": 103.5}',
    headers: { 'content-type': 'application/json' },
    ip: '192.0.2.7',
  },
  price: { symbol: 'BTCUSDT', price: 103.5, exchange: 'binance', service: 'spot' },
  env: { API_KEY: 'key', API_SECRET: 'secret', THRESHOLD: '0.5' },
})

const host = () =>
  recordingHost({
    checkOptions,
    action: async (action) => ({
      id: 12,
      action,
      symbols: ['BTCUSDT', 'ETHUSDT'],
      price: null,
      at: 1_767_229_200_000,
      delivered: false,
    }),
    positions: async () => [position],
    http: async ({ url }) => answers[new URL(url).host]!,
    rate: async () => 64_000.5,
    candles: async () => packCandles(candles),
    sign: async (payload, secret) => createHmac('sha256', secret).update(payload).digest('hex'),
  })

/** Hours from 22:00 on the last day of 2025, as `time`, open, high, low, last and volume. */
const candles = [
  [-2, 100, 102, 99, 101, 10],
  [-1, 101, 103, 100, 102, 12],
  [0, 102, 106, 101, 105, 12],
  [1, 105, 105, 103, 104, 3],
].map(([at, open, high, low, last, volume]) => ({
  ...{
    time: 1_767_225_600_000 + at! * 3_600_000,
    open: open!,
    high: high!,
    low: low!,
    last: last!,
    volume: volume!,
  },
  done: at! < 1,
}))

const position: BotPosition = {
  bot: { id: 1, name: 'Trial', mode: 'paper' },
  symbol: 'BTC/USDT',
  side: 'long',
  size: 0.5,
  entryPrice: 100,
  unrealised: 1.75,
  signal: { action: 'LONG', status: 'DONE', reason: null, at: 1_767_225_600_000 },
}

const answers: Record<string, HttpResponse> = {
  'api.example.com': { status: 200, text: '{"last": 103.5}', cache: false },
  '192.168.0.1': { status: 403, text: 'refused', cache: false },
  'tickwright.example': {
    status: 200,
    text: '[{"id":2,"type":"CEX","name":"Binance","service":"spot","enabled":true,"hasExchangeRate":true,"extra":false}]',
    cache: false,
  },
}

test('the page has examples', () => {
  assert.ok(blocks.filter(({ language }) => language === 'js').length > 10)
})

for (const [index, { language, text, line }] of blocks.entries()) {
  if (language !== 'js') continue
  test(`the example at ${path}:${line} gives the result below it`, async () => {
    const told = blocks[index + 1]
    const outcome = await run(text, { input, host: host() })
    if (told?.language === 'text') {
      assert.equal(outcome.status, 'completed', JSON.stringify(outcome))
      assert.equal(outcome.log, told.text)
    } else {
      assert.equal(told?.language, 'json')
      assert.deepEqual(outcome.violation ?? outcome.error, JSON.parse(told.text))
    }
  })
}

test('every member of $ is described, and exists as described', async () => {
  const members = logged(
    await run(
      `$.log(Object.keys($).flatMap((name) => ['Candles', 'Http', 'Price', 'Request', 'Storage', 'Strategy'].includes(name)
        ? Object.keys($[name]).map((member) => name + '.' + member) : [name]))`,
      { input },
    ),
  ) as string[]
  assert.ok(members.length > 10)
  const described = new Set<string>()
  for (const section of page.split(/^## /m).slice(1)) {
    const names = [...section.split('\n')[0]!.matchAll(/\$\.(\w+)/g)].map((match) => match[1]!)
    const table = rowsOf(section, 'member').map(([member]) => member!.replace(/\(.*/, ''))
    for (const name of names) {
      for (const member of table) described.add(`${name}.${member}`)
      if (table.length === 0) described.add(name)
    }
  }
  assert.deepEqual([...described].sort(), members.sort())
})

test('the documented forbidden identifiers match the check', () => {
  const documented = rowsOf(page, 'group').flatMap(([, identifiers]) => identifiers!.match(/\w+/g)!)
  assert.deepEqual(documented.sort(), [...forbiddenIdentifiers].sort())
})

test('the documented limits match the sandbox', () => {
  const values = Object.fromEntries(rowsOf(page, 'limit').map(([limit, value]) => [limit, value]))
  const documented = {
    storage: values['stored value'],
    actions: values['actions of a run'],
    callsAtOnce: values['host calls at a time (requests, signatures, rates, candles, positions, actions)'],
    calls: values['host calls of a run'],
    requests: values['HTTP requests of a run'],
    positions: values['calls of `$.Strategy.positions` in a run'],
    candleCalls: values['calls of `$.candles` in a run'],
    candles: values['candles of one call'],
    candleTime: values['time that `$.candles` waits for an exchange'],
    requestTime: values['an HTTP request, from its first step to its last byte'],
    body: values['body of a request, text to sign'],
    signed: values['all texts that a run has signed'],
    answers: values['all answers of a run together'],
    url: values['address of a request with its query'],
    headers: values['headers of a request'],
    log: values['log of a run'],
    code: values.code,
  }
  assert.deepEqual(documented, {
    storage: `${limits.storageByteLimit} bytes`,
    actions: String(limits.actionsPerRun),
    callsAtOnce: String(limits.callsAtOnce),
    calls: String(limits.callsPerRun),
    requests: String(limits.httpRequestsPerRun),
    positions: String(limits.positionCallsPerRun),
    candleCalls: String(limits.candleCallsPerRun),
    candles: String(limits.candlesPerCall),
    candleTime: `${limits.candleTimeoutMs} ms`,
    requestTime: `${limits.httpTimeoutMs} ms`,
    body: `${limits.bodyByteLimit} bytes`,
    signed: `${limits.signedLengthLimit} characters`,
    answers: `${limits.answersLengthLimit} characters`,
    url: `${limits.urlLengthLimit} characters`,
    headers: `${limits.headersLengthLimit} characters`,
    log: `${limits.logByteLimit} bytes`,
    code: `${limits.codeByteLimit} bytes`,
  })
})
