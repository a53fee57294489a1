import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNetwork, isWithin } from './networks.ts'

test('a network is an address, or an address with a number of bits', () => {
  for (const text of ['192.0.2.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', '::/128'])
    assert.ok(isNetwork(text), text)
  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::/129',
    '10.0.0/8',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    '010.0.0.1',
  ])
    assert.ok(!isNetwork(text), text)
})

test('an address is within a network of its kind, however it is written', () => {
  const networks = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']
  for (const ip of ['10.255.0.1', '192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::1', '2001:0DB8::1'])
    assert.ok(isWithin(ip, networks), ip)
  for (const ip of [
    '11.0.0.1',
    '192.0.2.8',
    '::ffff:192.0.2.8',
    '2001:db9::1',
    '::1',
    '',
    'unknown',
    '10.0.0.1, 1.1.1.1',
  ])
    assert.ok(!isWithin(ip, networks), ip)
  assert.ok(!isWithin('10.0.0.1', []))
})
