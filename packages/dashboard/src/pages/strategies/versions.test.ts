import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedText, savedByText, versionText } from './versions.ts'

test('who saved a version, and what it changed, is said in words', () => {
  const by = (via: string, api_key_id: number | null = null, strategy_id: number | null = null) =>
    savedByText({ via, api_key_id, strategy_id })
  assert.equal(by('session'), 'a person in a browser')
  assert.equal(by('agent', 3), 'an agent with API key 3')
  assert.equal(by('strategy', 3, 9), 'strategy 9 with API key 3')
  assert.equal(savedByText(null), 'unknown')
  assert.equal(
    changedText({ changed: ['code', 'cron_interval'], restored_from: 2 }),
    'restored version 2: code, schedule',
  )
  assert.equal(changedText({ changed: [], restored_from: null }), 'first version')
})

test('a long or deceptive reason stays one short line', () => {
  assert.equal(versionText({ version: 4, reason: null }), 'Version 4')
  const text = versionText({ version: 4, reason: `a\u202e\n${'x'.repeat(300)}` })
  assert.ok(text.startsWith('Version 4: a[U+202E] x') && text.length < 80)
})
