import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programsFor } from './signing.ts'

const programs = programsFor('https://example.com')

test('each program has the address of the service, and no secret', () => {
  for (const { text } of programs) assert.match(text, /https:\/\/example\.com/)
})

test('the programs sign method, path, body and timestamp, in this order', () => {
  const [shell, javascript] = programs
  assert.match(shell!.text, /"\$1\$2\$\{3-\}\$timestamp"/)
  assert.match(javascript!.text, /update\(method \+ path \+ body \+ timestamp\)/)
})

test('the file of an agent is JSON', () => {
  assert.doesNotThrow(() => JSON.parse(programs[2]!.text))
})
