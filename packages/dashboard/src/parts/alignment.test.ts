import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNumber } from '../base/numbers.ts'
import { ColumnRoom, paddingFor, roomForUnits } from './alignment.ts'

test('padded, all numbers of a column have as many digits after the point', () => {
  const room = new ColumnRoom(false)
  const numbers = ['12345678901234567890.123456789', 0, -1.5, null, '100.00'].map((value) =>
    formatNumber(value),
  )
  for (const number of numbers) room.add(number, undefined)
  const { digits } = room.read()
  assert.equal(digits, 9)
  for (const number of numbers) {
    const padded: string = number + paddingFor(number, digits)
    assert.equal(padded.length - padded.indexOf('.') - 1, 9, padded)
    assert.equal(padded.split('.').length, 2)
  }
})

test('whole numbers need no room for a point', () => {
  const room = new ColumnRoom(false)
  room.add('1,234', undefined)
  assert.equal(paddingFor('7', room.read().digits), '')
})

test('the room of a column only grows, and tells it once for each change', () => {
  const room = new ColumnRoom(false)
  let told = 0
  const end = room.subscribe(() => {
    told++
  })
  room.add('1.25', 'USDT')
  const before = room.read()
  room.add('3', 'USDT')
  assert.equal(room.read(), before, 'unchanged, so that nothing is drawn again')
  room.add('3', 'BTC')
  assert.deepEqual(room.read(), { digits: 2, units: 'USDT\nBTC' })
  end()
  room.add('0.123', undefined)
  assert.equal(told, 2)
})

test('units take the room of the longest one', () => {
  assert.equal(roomForUnits(''), 0)
  assert.equal(roomForUnits('BTC\nUSDT'), 4.5)
})
