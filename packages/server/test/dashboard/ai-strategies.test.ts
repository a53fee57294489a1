/** AI strategies: writing and trying a prompt, saving, and what a model said, with a stand-in model. */
import assert from 'node:assert/strict'
import { before, beforeEach } from 'node:test'
import type { Locator } from 'playwright-core'
import { llmPath, makeAiConnection, makeThinker } from '../ai/reaction.ts'
import { makeSession, sessionPath } from '../ai/session.ts'
import { call, type Model, type StandIn, says, startProvider } from '../ai/stand-in.ts'
import { makeBot } from '../bot.ts'
import type { Client } from '../client.ts'
import { createTestDatabase, fileResources, type TestDatabase } from '../databases.ts'
import { inBrowser } from '../in-browser.ts'
import { expect, makeReaction, type TestReaction } from '../reaction.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../until.ts'
import { type Browser, signUpBrowser } from '../users.ts'
import { assertText } from './assert-shown.ts'
import { checkLooks } from './looks.ts'
import { openPage } from './open-page.ts'

let service: TestService
let database: TestDatabase
let client: Client
let connection_id: number
let provider: StandIn
let user: Browser
let reaction: TestReaction
let model: Model

const hostile = '<img src=x onerror=alert(1)> \u202egnol'

before(async () => {
  provider = fileResources.use(await startProvider('openai', (asked) => model(asked)))
  model = says()
  database = fileResources.use(await createTestDatabase())
  service = fileResources.use(await startService({ database, env: { HTTP_ALLOW: provider.host } }))
  user = await signUpBrowser(service, 'ada@example.com')
  client = { ...service, api: user.api }
  const { webhookId: webhook_id } = await makeBot(client, { name: 'Follower' })
  connection_id = await makeAiConnection(client, provider, { name: 'main' })
  reaction = await makeThinker(client, provider, { name: `Judge ${hostile}`, connection_id, webhook_id })
})

beforeEach(() => {
  model = says()
})

inBrowser('a user without a model reads what to connect', async (tab) => {
  const stranger = await signUpBrowser(service, 'stranger@example.com')
  await openPage(tab, service, stranger.email, '/ai-strategies')
  await tab.getByText('No AI strategy yet').waitFor()
  await tab.getByRole('link', { name: 'New AI strategy' }).click()
  await tab.getByText('Connect a model first').waitFor()
  const link = tab.getByRole('link', { name: 'To the connections' })
  assert.equal(await link.getAttribute('href'), '/settings/connections')
  await checkLooks(tab, 'no models')
  await tab.goto(`${service.url}/ai-strategies/reaction/${reaction.id}`)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('Judge'))
})

inBrowser('a reaction is written, created once, and switched on after a question', async (tab) => {
  await openPage(tab, service, user.email, '/ai-strategies')
  await tab.getByRole('link', { name: 'New AI strategy' }).click()
  const prompt = tab.getByLabel('Prompt', { exact: true })
  await prompt.fill('Judge {{dta}} ')
  await tab.getByText('There is no placeholder {{dta}}. The placeholders are {{data}}').waitFor()
  assert.equal(await tab.locator('mark').innerText(), '{{dta}}')
  await checkLooks(tab, 'a prompt with a mistake')
  await tab.getByLabel('Name', { exact: true }).fill('Written here')
  const create = tab.getByRole('button', { name: 'Create' })
  const refusal = tab.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.status() === 400,
  )
  await create.click()
  await refusal
  assert.equal(new URL(tab.url()).pathname, '/ai-strategies/new')

  await tab.getByRole('button', { name: 'Line 1, column 7' }).click()
  await prompt.fill('Judge ')
  await tab.getByRole('button', { name: '{{data}}' }).click()
  assert.equal(await prompt.inputValue(), 'Judge {{data}}')
  await tab.getByText('There is no placeholder').waitFor({ state: 'detached' })
  await tab.getByLabel('Tokens').fill('many')
  assert.equal(await create.getAttribute('title'), 'A field is no number.')
  await tab.getByLabel('Tokens').fill('90000')
  await create.dblclick()
  await tab.getByRole('heading', { level: 1, name: 'Written here' }).waitFor()
  const made = (await expect(200, user.api('GET', llmPath))).filter(
    ({ name }: { name: string }) => name === 'Written here',
  )
  assert.equal(made.length, 1)
  assert.deepEqual([made[0].tokens_per_day, made[0].needs_approval], [90_000, true])

  await tab.getByRole('button', { name: 'Switch on' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Switch this reaction on' })
  await assertText(dialog, /at most 90,000 tokens a day[\s\S]*after your approval/)
  await checkLooks(tab, 'switching on')
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await tab.getByRole('button', { name: 'Switch off' }).waitFor()
  await tab.getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('heading', { level: 1, name: 'AI strategies' }).waitFor()
  await tab.getByRole('link', { name: 'Written here' }).waitFor({ state: 'detached' })
})

inBrowser(
  'a draft survives a reload, and what others save meanwhile is shown, not overwritten',
  async (tab) => {
    await openPage(tab, service, user.email, `/ai-strategies/reaction/${reaction.id}`)
    const prompt = tab.getByLabel('Prompt', { exact: true })
    await prompt.fill('My own words: {{data}}')
    await tab.getByLabel('Largest size').fill('20')
    await tab.getByText('Not saved').waitFor()
    await tab.reload()
    await tab.getByText('Not saved').waitFor()
    assert.equal(await prompt.inputValue(), 'My own words: {{data}}')

    const theirs = { prompt: 'Their words: {{data}}', symbol: 'ETHUSDT' }
    await expect(200, user.api('PUT', reaction.own, theirs))
    await tab.getByText('was saved from elsewhere').waitFor()
    const conflict = tab.getByRole('alert').filter({ hasText: 'was saved from elsewhere' })
    await assertText(conflict, /Prompt\s+Their words: \{\{data\}\}[\s\S]*Symbols\s+ETHUSDT/)
    assert.match(
      (await tab.getByRole('button', { name: 'Save', exact: true }).getAttribute('title'))!,
      /Decide first/,
    )
    await checkLooks(tab, 'a conflict')
    await conflict.getByRole('button', { name: 'Keep my changes' }).click()
    await prompt.focus()
    await tab.keyboard.press('Control+s')
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    const saved = await reaction.read()
    assert.deepEqual([saved.prompt, saved.symbol, saved.max_size], ['My own words: {{data}}', 'ETHUSDT', 20])

    await tab.getByRole('tab', { name: 'Versions' }).click()
    await tab
      .getByRole('button', { name: /^Look at version/ })
      .last()
      .click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('To restore it saves').waitFor()
    await checkLooks(tab, 'a version')
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await reaction.read()).prompt, 'Decide on this: {{data}}')
  },
)

inBrowser('a test asks the model with the prompt as typed, and changes nothing', async (tab) => {
  model = says({ text: hostile, calls: [call('open_position', { direction: 'LONG' })] })
  await openPage(tab, service, user.email, `/ai-strategies/reaction/${reaction.id}`)
  await tab.getByLabel('Prompt', { exact: true }).fill('Typed: {{data}} {{storage}}')
  await tab.getByRole('tab', { name: 'Test' }).click()
  await tab.getByLabel('Stored value').fill('{')
  await tab.getByText('This is no JSON').waitFor()
  await tab.getByLabel('Stored value').fill('{"seen":3}')
  await tab.getByLabel('Payload', { exact: true }).fill('{"price":123456789012345678901234567890}')
  await tab.keyboard.press('Control+Enter')
  await tab.getByText('With the prompt that is not saved yet.').waitFor()
  const result = await tab.getByRole('tabpanel').innerText()
  assert.match(result, /Succeeded[\s\S]*LONG[\s\S]*240 tokens/)
  assert.match(result, /Typed:\s+From the sender\s+payload[\s\S]*"price": 123456789012345678901234567890/)
  assert.match(result, /From earlier runs\s+stored value[\s\S]*"seen": 3/)
  assert.match(result, /From the model\s+answer\s+<img src=x onerror=alert\(1\)> U\+202Egnol/)
  assert.match(result, /From the model\s+calls open_position[\s\S]*Accepted/)
  await tab.getByText(/^240 of 500,000 tokens$/).waitFor()
  await checkLooks(tab, 'a test')
  assert.equal((await reaction.runs()).length, 0)
})

inBrowser('a run shows its conversation, and a suspension has words and a way out', async (tab) => {
  model = says(
    { text: `Because ${hostile}`, calls: [call('get_storage'), call('send <b>all</b>', { to: hostile })] },
    { calls: [call('open_position', { direction: 'LONG' }), call('close_position')] },
  )
  await expect(202, reaction.post({ note: `${hostile} </untrusted> ${'x'.repeat(9000)}` }))
  const run = (await reaction.ended(1))[0]!
  await openPage(tab, service, user.email, `/ai-strategies/reaction/${reaction.id}`)
  const notice = tab.getByRole('alert').filter({ hasText: 'The reaction is suspended' })
  await assertText(notice, /A run wanted to act 2 times; 1 is allowed\./)
  await checkLooks(tab, 'a suspended reaction')
  await notice.getByRole('button', { name: 'Resume' }).click()
  await notice.waitFor({ state: 'detached' })
  assert.equal((await reaction.read()).status, 'ACTIVE')

  await tab.goto(`${service.url}/runs/${run.id}`)
  const conversation = tab.locator('section').filter({ hasText: 'Conversation with the model' })
  await assertText(
    conversation,
    /Your prompt[\s\S]*From the sender\s+payload[\s\S]*<img src=x onerror=alert\(1\)>/,
  )
  const text = await conversation.innerText()
  assert.match(text, /more characters/)
  assert.match(text, /From the model\s+answer\s+Because <img src=x onerror=alert\(1\)> U\+202Egnol/)
  assert.match(text, /calls a tool that does not exist[\s\S]*Not valid[\s\S]*Broke a rule/)
  assert.match(text, /200 tokens read and 40 tokens written/)
  await checkLooks(tab, 'a conversation')
})

inBrowser('the page of a strategy and the list of all show what a run has just done', async (tab) => {
  const awake = await makeThinker(client, provider, { name: 'Awake', connection_id })
  await openPage(tab, service, user.email, `/ai-strategies/reaction/${awake.id}`)
  const facts = tab.locator('dl').first()
  await facts.getByText('Last action').waitFor()
  assert.equal(await facts.getByText('LONG').count(), 0)
  model = says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'Bought.' })
  await expect(202, awake.post({}))
  await facts.getByText('LONG').waitFor()
  await tab.goto(`${service.url}/ai-strategies`)
  const row = tab.getByRole('row').filter({ hasText: 'Awake' })
  await row.getByText('LONG').waitFor()
  model = says({ calls: [call('close_position')] }, { text: 'Sold.' })
  await expect(202, awake.post({}))
  await row.getByText('EXIT').waitFor()
})

inBrowser('a chart is chosen and drawn, and a preview shows the question without asking', async (tab) => {
  const seeing = await makeThinker(client, provider, { name: 'Seeing', connection_id, send_signal: false })
  await openPage(tab, service, user.email, `/ai-strategies/reaction/${seeing.id}`)
  await tab.getByLabel('Prompt', { exact: true }).fill(`Look: {{data}} {{val:x=${hostile}}}{{x}}`)
  await tab.getByLabel('Show a chart').check()
  await tab.getByLabel('Symbol of the chart').fill('btcusdt')
  await tab.getByRole('button', { name: 'Draw the chart' }).click()
  await tab.getByText('must be a symbol after its exchange').first().waitFor()
  await tab.getByLabel('Symbol of the chart').fill('binance:btc/usdt')
  await tab.getByLabel('Studies').fill('bb:20,2.5 rsi')
  await tab.getByRole('button', { name: 'Draw the chart' }).click()
  const chart = tab.getByRole('img', {
    name: /^The chart now\. Chart of btc\/usdt on sim spot: 200 candles of 1h/,
  })
  await chart.waitFor()
  await isPainted(chart)
  await checkLooks(tab, 'the settings of a chart')

  const asked = provider.questions.length
  await tab.getByRole('button', { name: 'Preview' }).click()
  const dialog = tab.getByRole('dialog', { name: 'What the model would be asked' })
  await isPainted(dialog.getByRole('img', { name: /^The chart that the model sees/ }))
  const words = await dialog.innerText()
  assert.match(words, /Look:[\s\S]*payload[\s\S]*"price": 100[\s\S]*<img src=x onerror=alert\(1\)>/)
  assert.match(words, /with bb:20,2\.5 and rsi:14/)
  assert.match(words, /about [\d,]+ tokens/)
  await checkLooks(tab, 'a preview')
  await dialog.getByRole('button', { name: 'Close' }).click()
  assert.equal(provider.questions.length, asked)

  await tab.getByLabel('Tokens').fill('900')
  await tab.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('The budget of a day is 900 tokens').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await tab.getByLabel('Tokens').fill('500000')
  await tab.getByRole('button', { name: 'Save', exact: true }).click()
  await tab.getByText('Not saved').waitFor({ state: 'detached' })
  const saved = await seeing.read()
  assert.deepEqual(
    [saved.use_chart, saved.chart_studies, saved.chart_range],
    [true, ['bb:20,2.5', 'rsi'], null],
  )

  model = says({ text: 'Seen.' })
  await seeing.post({})
  const [run] = await seeing.ended(1)
  await tab.goto(`${service.url}/runs/${run.id}`)
  await isPainted(tab.getByRole('img', { name: /^The chart that the model sees\. Chart of btc\/usdt/ }))
})

/** Waits until a canvas shows something: a pixel of it has a colour of candles that rise. */
async function isPainted(canvas: Locator): Promise<void> {
  await canvas.waitFor()
  await until('the picture', () =>
    canvas.evaluate((element) => {
      if (element.width !== 1024) return false
      const { data } = element.getContext('2d')!.getImageData(0, 0, element.width, element.height)
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === 0x15 && data[at + 1] === 0x80 && data[at + 2] === 0x3d) return true
      return false
    }),
  )
}

inBrowser('a session is written with its schedule in words, created once, and switched on', async (tab) => {
  await openPage(tab, service, user.email, '/ai-strategies/new')
  await tab.getByRole('radio', { name: 'AI session' }).check()
  const prompt = tab.getByLabel('Prompt', { exact: true })
  assert.match(await prompt.inputValue(), /You noted: \{\{storage\}\}/)
  assert.equal(await tab.getByRole('button', { name: '{{data}}' }).count(), 0)
  assert.equal(await tab.getByLabel('Data webhook').count(), 0)
  await prompt.fill('Judge {{ip}}')
  await tab.getByText('{{ip}} stands for a part of a payload, but a schedule triggers these runs').waitFor()
  assert.equal(await tab.locator('mark').innerText(), '{{ip}}')
  await prompt.fill('Decide at {{current_time}}')
  await tab.getByText('stands for a part of a payload').waitFor({ state: 'detached' })

  const runs = tab.getByRole('combobox', { name: 'Runs' })
  assert.deepEqual(await runs.locator('option').allInnerTexts(), [
    'At an interval',
    'At times of a calendar (cron)',
  ])
  await tab.getByText('Runs every hour.').waitFor()
  await tab.getByLabel('Interval').selectOption('4H')
  await tab.getByText('Runs every 4 hours.').waitFor()
  // One for the names of the columns.
  await tab.getByRole('region', { name: 'Next times' }).getByRole('row').nth(5).waitFor()
  await runs.selectOption('cron')
  await tab.getByLabel('Cron expression').fill('0 9 * * MON-FRI')
  await tab.getByLabel('Time zone').fill('Asia/Tokyo')
  await tab.getByText('at 09:00, Monday through Friday').waitFor()
  await tab.getByRole('columnheader', { name: 'In Asia/Tokyo' }).waitFor()
  await checkLooks(tab, 'a new session')
  await tab.getByLabel('Name', { exact: true }).fill('Every morning')
  await tab.getByRole('button', { name: 'Create' }).dblclick()
  await tab.getByRole('heading', { level: 1, name: 'Every morning' }).waitFor()
  const made = await expect(200, user.api('GET', sessionPath))
  assert.deepEqual(
    made.map(({ cron_interval, timezone, needs_approval }: Record<string, unknown>) => [
      ...[cron_interval, timezone, needs_approval],
    ]),
    [['0 9 * * MON-FRI', 'Asia/Tokyo', true]],
  )
  await tab.getByText('at 09:00, Monday through Friday, Asia/Tokyo').waitFor()

  await tab.getByRole('tab', { name: 'Test' }).click()
  assert.equal(await tab.getByLabel('Payload', { exact: true }).count(), 0)
  await tab.getByRole('button', { name: 'Ask the model' }).click()
  await tab.getByText('With the saved prompt. The tokens count in the budget.').waitFor()
  await tab.getByRole('button', { name: 'Switch on' }).click()
  const dialog = tab.getByRole('dialog', { name: 'Switch this session on' })
  await assertText(dialog, /asked at 09:00, Monday through Friday, for at most 500,000 tokens/)
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await tab.getByRole('button', { name: 'Switch off' }).waitFor()
  await tab
    .getByText(/^in \d/)
    .first()
    .waitFor()
})

inBrowser('a session shows what became of its times, and its approvals lead to it', async (tab) => {
  const given = { provider, database }
  const session = await makeSession(client, given, {
    ...{ connection_id, name: `Clock ${hostile}`, cron_interval: '1D', needs_approval: true },
  })
  model = says({ calls: [call('open_position', { direction: 'LONG' })] }, { text: 'Bought.' })
  await session.due()
  const [run] = await session.ended(1)
  await openPage(tab, service, user.email, '/ai-strategies')
  const row = (text: string) => tab.getByRole('row').filter({ hasText: text })
  await row('Judge').waitFor()
  await tab.getByLabel('Kind').selectOption('AI session')
  await row('Judge').waitFor({ state: 'detached' })
  assert.equal(new URL(tab.url()).search, '?kind=session')
  await assertText(row('Clock'), /AI session[\s\S]*240 of 500,000[\s\S]*in \d/)
  await checkLooks(tab, 'AI sessions')

  await tab.goto(`${service.url}/approvals`)
  await tab.getByRole('link', { name: /^Clock/ }).click()
  await tab.getByRole('heading', { level: 1, name: /^Clock/ }).waitFor()
  assert.equal(new URL(tab.url()).pathname, `/ai-strategies/session/${session.id}`)
  await tab.locator('dl').getByText('every day').waitFor()
  await tab.getByRole('tab', { name: 'Past times' }).click()
  await tab.getByText('No time has passed yet').waitFor()
  await checkLooks(tab, 'a session')
  await tab.goto(`${service.url}/runs/${run.id}`)
  await tab.getByText('Conversation with the model').waitFor()
  await tab
    .getByRole('link', { name: /^Clock/ })
    .first()
    .click()
  await tab.getByRole('heading', { level: 1, name: /^Clock/ }).waitFor()
  // Another user's session is as if it were not there.
  const stranger = await signUpBrowser(service, 'other@example.com')
  await openPage(tab, service, stranger.email, `/ai-strategies/session/${session.id}`)
  await tab.getByRole('alert').first().waitFor()
  assert.ok(!(await tab.locator('main').innerText()).includes('Clock'))
})

inBrowser(
  'a model may change what its owner names, has a second model, and mails what it says',
  async (tab) => {
    const scalper = await makeReaction(client, '', { name: 'Scalper' })
    const second = await makeAiConnection(client, provider, { name: 'second' })
    const teacher = await makeThinker(client, provider, {
      name: 'Teacher',
      connection_id,
      send_signal: false,
    })
    await openPage(tab, service, user.email, '/overview')
    await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'AI strategies' }).click()
    await tab.getByRole('link', { name: 'Teacher' }).click()
    await tab.getByLabel('Second model').selectOption(String(second))
    await tab.getByLabel('Mail me each answer of the model').check()
    assert.equal(await tab.getByLabel('Add a strategy').count(), 0)
    await tab.getByLabel('Write the code of strategies').check()
    await tab.getByText('Until then, the model has none of these tools.').waitFor()
    // A session or a reaction that asks a model cannot be chosen.
    const options = tab.getByLabel('Add a strategy').locator('option')
    // The names of strategies come with another answer.
    await options.filter({ hasText: 'Scalper' }).waitFor({ state: 'attached' })
    const choices = await options.allInnerTexts()
    assert.deepEqual(choices, ['Choose …', 'Scalper (code reaction)'])
    await tab.getByLabel('Add a strategy').selectOption(String(scalper.id))
    await tab
      .getByRole('list', { name: 'Chosen strategies' })
      .getByRole('link', { name: 'Scalper' })
      .waitFor()
    assert.ok(await tab.getByLabel('Ask me before each change').isChecked())
    await checkLooks(tab, 'what a model may change')
    await tab.getByRole('button', { name: 'Save', exact: true }).click()
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    const saved = await teacher.read()
    assert.deepEqual(
      [saved.fallback_id, saved.send_email, saved.may_change, saved.change_needs_approval],
      [second, true, [scalper.id], true],
    )
    assert.ok(saved.tools.includes('set_strategy'))

    model = says(
      { calls: [call('set_strategy', { id: scalper.id, code: '$.log(1)' })] },
      { text: 'I would write less.' },
    )
    await tab.getByRole('tab', { name: 'Test' }).click()
    await tab.getByRole('button', { name: 'Ask the model' }).click()
    await tab.getByText(`Replace the code of strategy ${scalper.id}: it would have waited`).waitFor()
    assert.equal((await scalper.read()).code, '')
  },
)
