import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberTable } from '../build/members.ts'

test('the table has every member of $ that its types declare, with documentation', async () => {
  const table = await memberTable()
  const names = (type: string) => table[type]!.map(({ name }) => name)
  assert.deepEqual(names('Runtime'), [
    ...['Action', 'Exchange', 'Price', 'Env', 'Request', 'Strategy', 'Storage', 'Http'],
    ...['getExchangeRate', 'candles', 'Candles', 'Ta', 'log'],
  ])
  assert.deepEqual(names('Actions'), ['LONG', 'SHORT', 'EXIT'])
  assert.deepEqual(names('Exchanges'), ['BINANCE', 'GATEIO', 'BITGET', 'HYPERLIQUID', 'KRAKEN'])
  assert.deepEqual(names('Storage'), ['byteLimit', 'get', 'set'])
  const rate = table.Runtime!.find(({ name }) => name === 'getExchangeRate')!
  assert.equal(rate.type, '(exchange: $.Exchange, symbol: string): Promise<number | null>')
  assert.match(rate.about!, /^The current rate of a symbol[^*]*\n@param exchange/)
  const storage = table.Runtime!.find(({ name }) => name === 'Storage')!
  assert.deepEqual([storage.kind, storage.type, storage.about], ['property', 'Storage', undefined])
})
