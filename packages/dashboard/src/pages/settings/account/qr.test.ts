import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { pathOf } from './qr.ts'

test('dark neighbours in a row are one rectangle', () => {
  const path = pathOf([
    [true, true, false, true],
    [false, false, false, false],
    [false, true, true, true],
  ])
  assert.equal(path, 'M0 0h2v1h-2zM3 0h1v1h-1zM1 2h3v1h-3z')
})

test('the path covers exactly the dark modules of a code', () => {
  const { data } = encode('otpauth://totp/Tickwright:ada@example.com?secret=JBSWY3DPEHPK3PXP')
  const drawn = data.map((row) => row.map(() => false))
  for (const [, x, y, width] of pathOf(data).matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let at = 0; at < Number(width); at++) drawn[Number(y)]![Number(x) + at] = true
  assert.deepEqual(drawn, data)
})
