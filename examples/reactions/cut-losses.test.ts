import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ActionName, type BotPosition, checkText, openSandbox } from '@tickwright/sandbox'

const code = await readFile(join(import.meta.dirname, 'cut-losses.js'), 'utf8')
const sandbox = await openSandbox({ executors: 1 })
after(() => sandbox.close())

const long: BotPosition = {
  bot: { id: 1, name: 'Trial', mode: 'paper' },
  symbol: 'BTC/USDT',
  side: 'long',
  size: 0.5,
  entryPrice: 100,
  unrealised: -2.5,
  signal: { action: 'LONG', status: 'DONE', reason: null, at: 1 },
}
const flat = { side: null, size: 0, entryPrice: null, unrealised: 0 }
const leaving = { action: 'EXIT', status: 'CLOSING', reason: null, at: 1 } as const

const cases: [what: string, positions: BotPosition[], last: ActionName | null, actions: ActionName[]][] = [
  ['a position that lost a twentieth', [long], 'LONG', ['EXIT']],
  ['two such positions', [long, { ...long, side: 'short' }], 'LONG', ['EXIT']],
  ['a smaller loss', [{ ...long, unrealised: -2.49 }], 'LONG', []],
  ['a position without a price', [{ ...long, unrealised: null }], 'LONG', []],
  ['a position whose EXIT is in progress', [{ ...long, signal: leaving }], 'LONG', []],
  ['a position after an EXIT', [long], 'EXIT', []],
  ['a position of which no signal is known', [{ ...long, signal: null }], null, ['EXIT']],
  ['a flat symbol', [{ ...long, ...flat, signal: leaving }], 'LONG', []],
  ['no position', [], null, []],
]

for (const [index, [what, positions, last, expected]] of cases.entries()) {
  test(`${what} leads to ${expected[0] ?? 'no action'}`, async () => {
    const actions: ActionName[] = []
    const lastTrigger = { action: last, price: null, at: last === null ? null : 1 }
    const { status } = await sandbox.run({
      strategyId: index + 1,
      code,
      input: {
        strategy: { id: 1, type: 'code-reaction', signal: { symbols: ['BTCUSDT'], lastTrigger } },
        ...{ storage: null, request: { data: '', headers: {}, ip: '' }, price: null, env: {} },
      },
      host: {
        checkOptions: () => assert.fail('it protects nothing'),
        action: async (action) => {
          actions.push(action)
          return { id: 1, action, symbols: ['BTCUSDT'], price: null, at: 2, delivered: true }
        },
        positions: async () => positions,
        stop: async () => false,
        http: () => assert.fail('it makes no requests'),
        rate: () => assert.fail('it asks for no rates'),
        candles: () => assert.fail('it asks for no candles'),
        sign: () => assert.fail('it signs nothing'),
      },
    })
    assert.deepEqual([status, actions], ['completed', expected])
  })
}

test('the service accepts the code', () => {
  assert.deepEqual(checkText(code), [])
})
