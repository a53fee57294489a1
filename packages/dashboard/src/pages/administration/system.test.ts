import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOld, missingRoles, mixedVersions, silenceMs, silenceText } from './system.ts'

const node = (seconds: number, rest: object = {}) => ({
  alive: true,
  is_this: false,
  heartbeat_at: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
  version: '2.1.0',
  roles: ['api'],
  ...rest,
})

test('the silence of a node is measured by the clock of the database', () => {
  const nodes = [node(0, { alive: false }), node(59), node(60)]
  assert.deepEqual(
    nodes.map((each) => silenceMs(each, nodes)),
    [60_000, 1000, 0],
  )
  assert.deepEqual([0, 499, 1499, 61_000].map(silenceText), ['now', 'now', '1 s ago', '1 min 1 s ago'])
})

test('different versions of living nodes are a mix, and those of dead ones are not', () => {
  assert.deepEqual(mixedVersions([node(1), node(2)]), [])
  assert.deepEqual(mixedVersions([node(1), node(2, { version: '2.0.0' })]), ['2.0.0', '2.1.0'])
  assert.deepEqual(mixedVersions([node(1), node(2, { version: null })]), ['2.1.0', 'older'])
  assert.deepEqual(mixedVersions([node(1), node(2, { version: '2.0.0', alive: false })]), [])
})

test('a role that only dead nodes have is missing', () => {
  assert.deepEqual(missingRoles([node(1, { roles: ['api', 'worker', 'scheduler', 'market'] })]), [])
  const dead = node(1, { alive: false, roles: ['worker', 'market'] })
  assert.deepEqual(missingRoles([node(2, { roles: ['api', 'scheduler'] }), dead]), ['worker', 'market'])
  assert.deepEqual(missingRoles([node(1), node(2, { roles: null })]), [])
})

test('a report is old after three intervals', () => {
  assert.ok(!isOld(0, 15_000))
  assert.ok(isOld(0, 15_001))
})
