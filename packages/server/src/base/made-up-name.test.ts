import assert from 'node:assert/strict'
import { test } from 'node:test'
import { madeUpName, nameOfSymbols } from './made-up-name.ts'

test('a made-up name is two words, and another one most times', () => {
  const names = Array.from({ length: 200 }, madeUpName)
  for (const name of names) assert.match(name, /^[A-Z][a-z]+ [A-Z][a-z]+$/)
  assert.ok(new Set(names).size > 100)
})

test('a bot has the name of its symbols, unless they are none or too many', () => {
  assert.equal(nameOfSymbols(['BTCUSDT']), 'BTCUSDT')
  assert.equal(nameOfSymbols(['BTC/USDT', 'ETH/USDT']), 'BTC/USDT, ETH/USDT')
  const many = Array.from({ length: 100 }, (_, n) => `SYMBOL${n}`)
  for (const other of [[], undefined, many]) assert.match(nameOfSymbols(other), /^[A-Z][a-z]+ [A-Z][a-z]+$/)
})
