/** Prompts with pages, and prompts of a megabyte, through the whole service. */
import assert from 'node:assert/strict'
import { makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'

withProvider(
  'a prompt gets pages under the rules of $.Http, and its run lists the requests',
  async ({ account, provider, setModel }) => {
    // The provider is a host that requests may reach. It answers a GET without a key with 401.
    const open = `http://${provider.host}/v1/models`
    const closed = 'http://169.254.169.254/latest/meta-data?token=secret'
    const prompt = `Seen: {{get:${open}}} and {{get:${closed}}}. {{val:x=Go}}{{x}}{{#: {{data}} }}`
    const reaction = await makeThinker(account, provider, { prompt })
    setModel(says({ text: 'Nothing to do.' }))
    await reaction.post({ kept: 'back' })
    const [run] = await reaction.ended(1)
    assert.deepEqual([run.status, run.error], ['SUCCEEDED', null])
    const told = provider.questions.at(-1)!.text
    assert.match(told, /name="page" from="127\.0\.0\.1:\d+" status="401">\n\{"error"/)
    assert.match(told, /name="page" from="169\.254\.169\.254" status="403">\n"[^"]+"\n<[^<]+\. Go$/m)
    assert.doesNotMatch(told, /kept|token=secret/)
    const { http } = await expect(200, account.api('GET', `/api/v2/run/${run.id}`))
    const seen = http.map(({ method, status }: { method: string; status: number }) => `${method} ${status}`)
    assert.deepEqual(seen.sort(), ['GET 401', 'GET 403'])
    // A test run has the same rules.
    const trace = await expect(200, account.api('POST', `${reaction.own}/test`))
    assert.match(trace.transcript[1].text, /status="401"[\s\S]*status="403"/)
  },
)

withProvider(
  'a prompt of a megabyte is saved, compared and run, and only the budget limits it',
  async ({ account, provider, setModel }) => {
    const rule = 'Judge “it”.\n'
    const prompt = `${rule.repeat((1024 * 1024 - 8) / Buffer.byteLength(rule))}{{data}}`
    const reaction = await makeThinker(account, provider, { prompt })
    assert.equal((await reaction.read()).prompt, prompt)
    setModel(says({ text: 'Done.', tokens: { input: 300_000, output: 5 } }))
    await reaction.post({})
    const [poor] = await reaction.ended(1)
    assert.equal(poor.error.name, 'budget')
    assert.equal(provider.questions.length, 1, 'the test of the connection')
    await expect(200, account.api('PUT', reaction.own, { tokens_per_day: 2_000_000 }))
    await reaction.post({})
    const run = (await reaction.ended(2)).find(({ status }: { status: string }) => status === 'SUCCEEDED')
    assert.ok(provider.questions.at(-1)!.text.includes(rule.repeat(1_000)))
    const { transcript } = await expect(200, account.api('GET', `/api/v2/run/${run.id}`))
    assert.ok(Buffer.byteLength(JSON.stringify(transcript)) <= 64 * 1024)
    await expect(200, account.api('PUT', reaction.own, { prompt: prompt.replaceAll('.', '!') }))
    const [latest] = await expect(200, account.api('GET', `${reaction.own}/versions`))
    const diff = `${reaction.own}/versions/${latest.version}/diff`
    const { whole, text } = await expect(200, account.api('GET', diff))
    assert.equal(whole, true)
    assert.ok(text.length > 2 * prompt.length)
  },
)
