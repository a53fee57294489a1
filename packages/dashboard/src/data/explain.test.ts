import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, ConnectionError } from '@tickwright/client'
import { explain, isMissingPart } from './explain.ts'

const answer = (status: number, code = 'unknown', message = `HTTP status ${status}.`) =>
  new ApiError({ status, code, message })

/** Everything that a page says, in one text. */
const words = (error: unknown, isChange = false, isOnline = true) => {
  const { what, safe, todo } = explain(error, isChange, isOnline)
  return [what, safe, todo].filter(Boolean).join(' ')
}

test('silence: a page that reads tries again; for a change, nobody knows, and nothing typed is lost', () => {
  const silence = new ConnectionError('The service does not answer.')
  assert.match(words(silence), /^The service does not answer\. .*tries again by itself\.$/)
  assert.match(
    words(silence, true),
    /Nobody knows whether the change was made\..*What you typed is still here\./,
  )
  assert.match(words(silence, false, false), /^This device is offline\. .*once you are online\.$/)
})

test('429: nothing was changed, and how long to wait is said once', () => {
  const locked = answer(429, 'auth_locked', 'Too many attempts. Try again in 12 s.')
  assert.equal(words(locked, true), 'Too many attempts. Try again in 12 s. Nothing was changed.')
  const limited = answer(429, 'rate_limited', 'Too many requests.')
  assert.equal(words(limited), 'Too many requests. Nothing was changed. Try again in a moment.')
  assert.match(words(answer(429)), /^Too many requests came from here\. .* Try again in a moment\.$/)
  const proxy = answer(429, 'unknown', 'HTTP status 429. Try again in 7 s.')
  assert.equal(words(proxy), 'Too many requests came from here. Nothing was changed. Try again in 7 s.')
})

test('502 and 503 of a proxy are told from a 503 of the service', () => {
  for (const status of [502, 503, 504])
    assert.match(words(answer(status)), new RegExp(`answered with status ${status}.*tries again by itself`))
  assert.match(words(answer(502), true), /Nobody knows whether the change was made.*Try again in a moment/)
  const busy = answer(503, 'service_busy', 'The database is starting.')
  assert.match(words(busy), /^The database is starting\. .*is stored\. This page tries again by itself\.$/)
  assert.match(words(busy, true), /Try again in a moment\.$/)
})

test('a script that did not arrive asks for a reload', () => {
  const error = new TypeError('Failed to fetch dynamically imported module: http://localhost/assets/page.js')
  assert.equal(isMissingPart(error), true)
  assert.match(words(error), /A part of this page did not arrive\..*Reload the page\.$/)
  assert.match(words(error, false, false), /offline.*once you are online\.$/)
  assert.equal(isMissingPart(new TypeError('x is undefined')), false)
})
