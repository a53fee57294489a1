import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { causeText, detailsText, eventText, isAttempt, isInGroup } from './audit-text.ts'

test('every event that the documentation lists has words and belongs to one group', async () => {
  const docs = await readFile(new URL('../../../../../docs/accounts.md', import.meta.url), 'utf8')
  const table = docs.slice(docs.indexOf('| event | when |')).split('\n\n')[0]!
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const events = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
  assert.ok(events.length > 40)
  const groups = ['signing-in', 'credentials', 'keys', 'secrets', 'users', 'trading'] as const
  for (const event of events) {
    assert.equal(groups.filter((group) => isInGroup(event, group)).length, 1, event)
    assert.match(eventText(event), /^[A-Z]/, event)
  }
  assert.equal(eventText('from_a_newer_service'), 'from a newer service')
  assert.ok(isAttempt('locked') && !isAttempt('sign_in'))
})

test('details are one line, and a cause names the user and the code', () => {
  assert.equal(detailsText({ name: '<b>', times: 3, to: null }), 'name: <b>, times: 3, to: null')
  const nameOf = (id: number) => `user ${id}`
  assert.equal(causeText({ by_user_id: 2, by_strategy_id: null }, nameOf), 'user 2')
  assert.equal(causeText({ by_user_id: 2, by_strategy_id: 0 }, nameOf), 'user 2, by a test run')
  assert.equal(causeText({ by_user_id: 2, by_strategy_id: 9 }, nameOf), 'user 2, by strategy 9')
  assert.equal(causeText({ by_user_id: null, by_strategy_id: null }, nameOf), 'Unknown')
})
