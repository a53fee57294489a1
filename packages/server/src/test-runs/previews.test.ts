/** Previews of prompts, and charts from the settings of a reaction to the transcript of its run. */
import assert from 'node:assert/strict'
import { llmPath, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

const chart = { use_chart: true, chart_symbol: 'binance:btc/usdt', chart_studies: ['ema:50', 'rsi'] }
const isPng = (base64: string) => Buffer.from(base64, 'base64').subarray(1, 4).toString() === 'PNG'
type Part = { type: string; text?: string; data?: string }

withProvider(
  'a preview shows the first question as the model would get it, and asks no model',
  async ({ account, other, provider, setModel }) => {
    const prompt = 'Price {{price:binance:spot:btc/usdt}}. {{data}} {{storage}} {{last_trigger_action}}'
    const reaction = await makeThinker(account, provider, { prompt, ...chart, send_signal: false })
    provider.questions.length = 0
    const preview = `${reaction.own}/preview`
    const body = { payload: '{"a":"{{storage}}"}', storage: { seen: 1 }, last_trigger: { action: 'SHORT' } }
    const shown = await expect(200, account.api('POST', preview, body))
    const [system, user] = shown.messages
    assert.deepEqual([system.role, user.role], ['system', 'user'])
    const [words, caption, picture] = user.content as Part[]
    assert.match(
      words!.text!,
      /^Price [\d.]+\. <(untrusted-\w{24}) name="data">\n\{"a":"\{\{storage\}\}"\}\n<\/\1> <\1 name="storage">\n\{"seen":1\}\n<\/\1> SHORT$/,
    )
    assert.match(caption!.text!, /Chart of btc\/usdt on sim spot: 200 candles of 1h/)
    assert.equal(`\n\n${shown.chart}`, caption!.text)
    assert.deepEqual([picture!.type, isPng(picture!.data!)], ['image', true])
    assert.ok(shown.tokens.estimated > 500 && shown.tokens.reserved > shown.tokens.estimated)

    // The model gets the same, and no more tokens are spent than it says.
    assert.equal(provider.questions.length, 0)
    assert.equal((await expect(200, account.api('GET', `${reaction.own}/budget`))).tokens.spent, 0)
    setModel(says({ text: 'Seen.', tokens: null }))
    await expect(200, account.api('POST', `${reaction.own}/test`, body))
    const [question] = provider.questions
    assert.deepEqual(shown.tools, question!.tools)
    assert.ok(!shown.tools.includes('open_position'))
    const plain = (text: string) =>
      text.replaceAll(/untrusted-\w{24}/g, 'untrusted').replace(/Price [\d.]+/, '')
    assert.equal(plain(question!.text), plain(`${system.content[0].text}\n${words!.text}${caption!.text}`))
    assert.equal(question!.pictures.length, 1)
    const { spent } = (await expect(200, account.api('GET', `${reaction.own}/budget`))).tokens
    assert.ok(Math.abs(spent - shown.tokens.reserved) < 100, `${spent} and ${shown.tokens.reserved}`)

    await expect(404, other.api('POST', preview, body))
    await expect(404, other.api('POST', preview))
    assert.equal((await expect(200, account.api('POST', preview))).messages.length, 2)
    const changed = await expect(200, account.api('POST', preview, { prompt: 'Only this.' }))
    assert.equal(changed.messages[1].content[0].text, 'Only this.')
    // Models store more than code, and so does what a preview shows.
    const large = { prompt: 'Stored: {{storage}}', storage: 'x'.repeat(100_000) }
    const withStorage = await expect(200, account.api('POST', preview, large))
    assert.ok(withStorage.messages[1].content[0].text.includes('x'.repeat(1_000)))
    await expect(200, account.api('POST', `${llmPath}/preview`, large))
    await expect(400, account.api('POST', preview, { storage: 'x'.repeat(2 ** 20) }))
  },
)

withProvider(
  'a prompt and a chart that are not saved have a preview, without a connection',
  async ({ account }) => {
    const preview = (body: object) => account.api('POST', `${llmPath}/preview`, body)
    const shown = await expect(200, preview({ prompt: 'Look: {{data}}', payload: { a: 1 } }))
    assert.deepEqual([shown.chart, shown.messages[1].content.length], [null, 1])
    assert.ok(shown.tools.includes('open_position'))
    const missing = await expect(200, preview({ prompt: '', ...chart, chart_symbol: 'nowhere:btc/usdt' }))
    assert.match(missing.chart, /^There is no chart\. There is no exchange "nowhere"/)
    assert.match(missing.messages[1].content[1].text, /There is no chart:\n<untrusted-/)
    const refused: [object, string][] = [
      [{ prompt: '{{nothing}}' }, 'body.prompt'],
      [{ prompt: 'x', ...chart, chart_symbol: 'btcusdt' }, 'body.chart_symbol'],
      [{ prompt: 'x', ...chart, chart_studies: ['hype'] }, 'body.chart_studies'],
      [{ prompt: 'x', ...chart, chart_studies: ['rsi', 'ema', 'sma'] }, 'body.chart_studies'],
      [{ prompt: 'x', ...chart, chart_range: '1y' }, 'body.chart_range'],
      [{ prompt: 'x', ...chart, chart_interval: '1 hour' }, 'body.chart_interval'],
    ]
    for (const [body, field] of refused) {
      assert.equal((await expect(400, preview(body))).details[0].field, field, JSON.stringify(body))
    }
  },
)

withProvider('previews count as test runs: two at a time', async ({ account, provider, setModel }) => {
  const reaction = await makeThinker(account, provider)
  const held: (() => void)[] = []
  setModel(() => (response) => void held.push(() => answerJson(response, 500, {})))
  const slow = [1, 2].map(() => account.api('POST', `${reaction.own}/test`, {}))
  await until('two models to be asked', async () => held.length === 2)
  await expect(429, account.api('POST', `${reaction.own}/preview`, {}))
  await expect(429, account.api('POST', `${llmPath}/preview`, { prompt: 'x' }))
  for (const answer of held) answer()
  await Promise.all(slow)
  await expect(200, account.api('POST', `${reaction.own}/preview`, {}))
})

withProvider(
  'the settings of a chart are checked, and a change of them is a version',
  async ({ account }) => {
    const { id, ...made } = await expect(201, account.api('POST', llmPath, { prompt: 'x' }))
    const defaults = {
      use_chart: false,
      chart_symbol: null,
      chart_interval: '1h',
      chart_studies: [],
      chart_range: null,
    }
    assert.partialDeepStrictEqual(made, defaults)
    const own = `${llmPath}/${id}`
    const refused = await expect(400, account.api('PUT', own, { use_chart: true }))
    assert.equal(refused.details[0].field, 'body.chart_symbol')
    await expect(400, account.api('POST', llmPath, { use_chart: true, chart_symbol: 'btcusdt' }))
    // Settings that are not used may be of any kind.
    await expect(
      200,
      account.api('PUT', own, { chart_symbol: 'btcusdt', chart_range: '1y', chart_interval: '1m' }),
    )
    const both = await expect(
      400,
      account.api('PUT', own, { use_chart: true, chart_symbol: 'binance:btcusdt' }),
    )
    assert.equal(both.details[0].field, 'body.chart_range')
    const saved = { ...chart, chart_interval: '1d', chart_range: '3M' }
    assert.partialDeepStrictEqual(await expect(200, account.api('PUT', own, saved)), saved)
    const versions = await expect(200, account.api('GET', `${own}/versions`))
    assert.deepEqual(versions[0].changed, [
      'chart_interval',
      'chart_range',
      'chart_studies',
      'chart_symbol',
      'use_chart',
    ])
    const first = versions.at(-1).version
    await expect(200, account.api('POST', `${own}/versions/${first}/restore`, {}))
    assert.partialDeepStrictEqual(await expect(200, account.api('GET', own)), defaults)
    const copy = await expect(201, account.api('POST', `${llmPath}/duplicate`, { id }))
    assert.partialDeepStrictEqual(copy, defaults)
  },
)

withProvider(
  'a run keeps the chart that its model saw, for its owner only',
  async ({ account, other, provider, setModel }) => {
    const reaction = await makeThinker(account, provider, chart)
    setModel(says({ text: 'Seen.' }))
    await reaction.post({})
    const [run] = await reaction.ended(1)
    assert.deepEqual([run.status, run.error], ['SUCCEEDED', null])
    const { transcript } = await expect(200, account.api('GET', `/api/v2/run/${run.id}`))
    const entry = transcript.find(({ type }: { type: string }) => type === 'chart')
    assert.match(entry.text, /^Chart of btc\/usdt on sim spot: 200 candles/)
    assert.equal(entry.picture, provider.questions.at(-1)!.pictures[0]!.data)
    await expect(404, other.api('GET', `/api/v2/run/${run.id}`))
    const { steps } = await expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
    const step = steps.find(({ kind }: { kind: string }) => kind === 'chart')
    assert.equal(step.text, entry.text)
    // A change applies to the next run.
    await expect(200, account.api('PUT', reaction.own, { use_chart: false }))
    await reaction.post({})
    await reaction.ended(2)
    assert.deepEqual(provider.questions.at(-1)!.pictures, [])
  },
)
