import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../base/errors.ts'
import { checkLoudness, isSilent } from './loudness.ts'

const night = { from: '22:00', to: '07:30', time_zone: 'Europe/Berlin' }
const loud = { silent: [], quietHours: null }

test('an event is silent where its user wants it, and a test is always heard', () => {
  assert.equal(isSilent('order.settled', loud, 0), false)
  assert.equal(isSilent('order.settled', { ...loud, silent: ['order.settled'] }, 0), true)
  // Even an urgent one, if that is what the user has chosen.
  assert.equal(isSilent('stop.refused', { ...loud, silent: ['stop.refused'] }, 0), true)
  assert.equal(isSilent('test', { silent: [], quietHours: night }, Date.parse('2026-01-15T23:00:00Z')), false)
})

test('what is muted is silent until then, except urgent events', () => {
  const muted = { ...loud, mutedUntil: new Date(1_000) }
  const at = (type: 'order.settled' | 'stop.refused' | 'test', nowMs: number) => isSilent(type, muted, nowMs)
  assert.deepEqual([at('order.settled', 999), at('order.settled', 1_000)], [true, false])
  assert.deepEqual([at('stop.refused', 999), at('test', 999)], [false, false])
})

test('quiet hours follow the clock of their time zone, over midnight and its changes', () => {
  const at = (iso: string, quietHours = night) =>
    isSilent('order.settled', { silent: [], quietHours }, Date.parse(iso))
  // Winter: one hour before UTC.
  assert.deepEqual(
    [
      '2026-01-15T20:59:59Z',
      '2026-01-15T21:00:00Z',
      '2026-01-16T00:00:00Z',
      '2026-01-16T06:29:00Z',
      '2026-01-16T06:30:00Z',
    ].map((iso) => at(iso)),
    [false, true, true, true, false],
  )
  // Summer: two.
  assert.deepEqual(
    ['2026-07-15T19:59:00Z', '2026-07-15T20:00:00Z', '2026-07-16T05:30:00Z'].map((iso) => at(iso)),
    [false, true, false],
  )
  const noon = { from: '12:00', to: '13:00', time_zone: 'UTC' }
  assert.deepEqual(
    ['2026-01-15T11:59:00Z', '2026-01-15T12:00:00Z', '2026-01-15T13:00:00Z'].map((iso) => at(iso, noon)),
    [false, true, false],
  )
})

test('urgent events break quiet hours', () => {
  const nowMs = Date.parse('2026-01-15T23:00:00Z')
  for (const type of ['position.liquidated', 'stop.refused', 'close.refused', 'books.differ'] as const) {
    assert.equal(isSilent(type, { silent: [], quietHours: night }, nowMs), false)
  }
})

test('only a kind with silent messages can be quiet, and the hours must make sense', () => {
  const fails = (kind: 'slack' | 'webhook' | 'telegram', change: object, message: RegExp) =>
    assert.throws(
      () => checkLoudness(kind, { ...loud, ...change }),
      (error) => error instanceof AppError && message.test(error.message),
    )
  checkLoudness('slack', loud)
  checkLoudness('telegram', { silent: ['run.failed'], quietHours: night })
  fails('slack', { silent: ['run.failed'] }, /body\.silent cannot be used with the kind slack/)
  fails('webhook', { quietHours: night }, /body\.quiet_hours cannot be used/)
  fails('telegram', { quietHours: { ...night, to: '22:00' } }, /body\.quiet_hours must end/)
  fails('telegram', { quietHours: { ...night, time_zone: 'Berlin' } }, /body\.quiet_hours\.time_zone must be/)
})
