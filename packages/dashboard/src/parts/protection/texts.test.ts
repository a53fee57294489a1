import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@tickwright/client'
import { isSameProtection, protectionFields, protectionOf, textsOfProtection } from './texts.ts'

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(`protection.${name}`, value)
  return data
}

const whole = {
  stop_loss: '2%',
  take_profit: [
    { at: '1R', part: '0.5' },
    { at: '70000.000000000000000001', part: '0.25' },
  ],
  trailing: { by: '1%', from: null, step: '0.5%' },
  break_even: { after: '1R', plus: null },
  exit_after_seconds: 3600,
}

test('what a form shows is what it sends, digit by digit', () => {
  const data = new FormData()
  for (const [name, text] of Object.entries(textsOfProtection(whole))) data.set(name, text)
  assert.deepEqual(protectionOf(data), whole)
  assert.ok(Object.keys(textsOfProtection(whole)).every((name) => protectionFields.includes(name)))
  assert.ok(isSameProtection(protectionOf(data), whole))
  assert.ok(!isSameProtection(whole, { ...whole, stop_loss: '3%' }))
})

test('empty fields protect nothing, and a single target closes all', () => {
  assert.equal(protectionOf(form({ stop_loss: ' ', 'take_profit[0].at': '' })), null)
  assert.deepEqual(textsOfProtection(null), {})
  assert.deepEqual(protectionOf(form({ 'take_profit[0].at': '2%' }))!.take_profit, [{ at: '2%', part: '1' }])
})

test('a field that is missing is sent as it is, so that the service names it', () => {
  const { take_profit, trailing } = protectionOf(
    form({ 'take_profit[1].at': '2%', 'take_profit[1].part': '0.5', 'trailing.from': '4%' }),
  )!
  assert.deepEqual(take_profit, [
    { at: '', part: '' },
    { at: '2%', part: '0.5' },
  ])
  assert.deepEqual(trailing, { by: '', from: '4%', step: null })
})

test('seconds that are no whole number are refused at their field', () => {
  for (const text of ['soon', '-1', '1.5', '1e3'])
    assert.throws(
      () => protectionOf(form({ exit_after_seconds: text })),
      (error) =>
        error instanceof ApiError && error.details[0]!.field === 'body.protection.exit_after_seconds',
    )
})
