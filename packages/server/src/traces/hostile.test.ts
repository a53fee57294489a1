/** Text of other people in receipts: whatever it contains, it stays data, whole and in its place. */
import assert from 'node:assert/strict'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

type Step = ApiAnswer['body']

/** Markup, controls of direction, joiners, ends of lines, a NUL, a formula, and broken surrogates. */
const hostile =
  '<script>alert(1)</script>\u202e\u2066\u200d\u2028\u0000=cmd|\'/C calc\'!A0 "},{"kind":"ended" \ud800\udc00\ud800'
/** What can be stored of it: neither PostgreSQL nor UTF-8 has a NUL or a lone surrogate. */
const stored = hostile.replace('\0', '\ufffd').toWellFormed()

const traceOf = (client: Client, what: 'run' | 'delivery', id: number) =>
  expect(200, client.api('GET', `/api/v2/${what}/${id}/trace`))

withSharedAccount('hostile text in payloads, logs and errors stays within its step', async (account) => {
  const code = `
    $.log($.Request.data)
    $.log(JSON.parse($.Request.data).text)
    throw new RangeError(JSON.parse($.Request.data).text)`
  const reaction = await makeReaction(account, code, { name: '<b>\u202eevil</b>' })
  const delivery = await expect(202, reaction.post({ text: hostile }))
  const [run] = await reaction.ended(1)
  const { run: traced, steps, outcome } = await traceOf(account, 'run', run.id)
  assert.equal(traced.strategy_name, (await reaction.read()).name)
  const shown = steps.map(({ kind, text }: Step) => [kind, text])
  assert.deepEqual(
    shown.map(([kind]: [string]) => kind),
    ['received', 'stored', 'queued', 'started', 'log', 'log', 'ended'],
  )
  assert.equal(shown[5][1], stored)
  assert.equal(`${shown[4][1]}\n${shown[5][1]}\n`, run.log)
  assert.deepEqual(outcome.reasons, [`RangeError: ${run.error.message}`])
  assert.ok(run.error.message.startsWith('<script>alert(1)</script>\u202e'), run.error.message)
  assert.ok(JSON.stringify(steps).isWellFormed())
  const whole = await traceOf(account, 'delivery', delivery.id)
  assert.deepEqual(whole.steps, steps)
})

withSharedAccount(
  'a line of 256 KB, and a log that is full, are shown as the run has them',
  async (account) => {
    const logs = async (code: string): Promise<{ log: string; steps: Step[] }> => {
      const reaction = await makeReaction(account, code)
      await reaction.post({})
      const [run] = await reaction.ended(1)
      const { steps } = await traceOf(account, 'run', run.id)
      return { log: run.log, steps: steps.filter(({ kind }: Step) => kind === 'log') }
    }
    const textOf = (steps: Step[]) => steps.map(({ text }) => `${text}\n`).join('')
    const line = `'\\u202e<b>' + 'é'.repeat(256 * 1024)`
    const long = await logs(`$.log(${line}); $.log('next')`)
    assert.equal(textOf(long.steps), long.log)
    assert.equal(long.steps.length, 1)
    assert.match(long.steps[0].text, /^\u202e<b>é{4000}.*… \(log cut at 8 KB\)$/)
    const full = await logs('for (let n = 0; n < 5000; n++) $.log(n)')
    assert.equal(textOf(full.steps), full.log)
    assert.deepEqual([full.steps.length, full.steps[200].at], [201, null], 'the first 200 lines have times')
  },
)
