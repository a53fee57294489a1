/**
 * `node scripts/screenshots.ts [FOLDER]`: makes the pictures of the dashboard for the README. It starts a service of its
 * own with the example at work on simulated prices, signs in, and makes a picture of each main page: into
 * `docs/screenshots`, or into another folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient, eachOf } from '@tickwright/client'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startServiceProcess } from '../examples/service-process.ts'
import { chromiumPath } from '../test/chromium.ts'

const defaultFolder = join(import.meta.dirname, '..', 'docs', 'screenshots')
/** The README should stay quick to load. */
const mostBytes = 150 * 1024
/** So long the example trades before the pictures are made. */
const workMs = 45_000
const credentials = { email: 'ada@example.com', password: randomBytes(16).toString('hex') }

type Client = ReturnType<typeof createApiClient>
type Picture = {
  name: string
  path: string
  theme: 'light' | 'dark'
  width: number
  /** A text that comes last. */
  ready: string
  hasChart?: boolean
}

async function main([folder = defaultFolder, ...rest]: string[]): Promise<void> {
  if (folder.startsWith('-') || rest.length > 0)
    throw new Error('Usage: node scripts/screenshots.ts [FOLDER]')
  const executablePath = await chromiumPath()
  await mkdir(folder, { recursive: true })
  await using resources = new AsyncDisposableStack()
  console.log('Starting a service with the example ...')
  const service = resources.use(
    await startServiceProcess({
      settings: {
        TICKWRIGHT_EXAMPLE: '1',
        TICKWRIGHT_ADMIN_EMAIL: credentials.email,
        TICKWRIGHT_ADMIN_PASSWORD: credentials.password,
        MARKET: 'sim',
      },
    }),
  )
  const client = createApiClient(service.access)
  await letExampleWork(client)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  resources.defer(() => browser.close())
  const large: string[] = []
  for (const picture of await picturesOf(client)) {
    const bytes = await take(browser, service.access.baseUrl, folder, picture)
    console.log(`${picture.name}.png  ${Math.ceil(bytes / 1024)} KB`)
    if (bytes > mostBytes) large.push(`${picture.name}.png`)
  }
  if (large.length > 0) throw new Error(`Larger than ${mostBytes / 1024} KB: ${large.join(', ')}.`)
}

/** Posts rising and falling prices to the webhook of the example, so that its bot opens and closes, and holds something. */
async function letExampleWork(client: Client): Promise<void> {
  const { url } = await firstOf(client.webhooks.data.list)
  const post = async (price: number) => {
    const body = JSON.stringify({ price: Number(price.toFixed(2)) })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (!response.ok) throw new Error(`The webhook answered with ${response.status}.`)
    await sleep(1500)
  }
  const end = Date.now() + workMs
  for (let step = 0; Date.now() < end; step++) await post(100 + 8 * Math.sin(step / 3))
  const { id } = await firstOf(client.bots.signal.list)
  for (let price = 120; price < 150; price++) {
    if ((await client.bots.signal.get(id)).positions.length > 0) return
    await post(price)
  }
  throw new Error('The bot of the example holds nothing.')
}

/** The pages, and a text that each shows when it is complete. */
async function picturesOf(client: Client): Promise<Picture[]> {
  const bot = await firstOf(client.bots.signal.list)
  const webhook = await firstOf(client.webhooks.data.list)
  const run = `/runs/${await runWithSignal(client)}`
  const overview = { path: '/overview', ready: 'What happens', hasChart: true }
  return [
    { name: 'overview', theme: 'light', width: 1280, ...overview },
    { name: 'overview-phone', theme: 'dark', width: 390, ...overview },
    { name: 'receipt', path: run, theme: 'dark', width: 1280, ready: 'Receipt' },
    { name: 'bot', path: `/bots/${bot.id}?tab=fills`, theme: 'light', width: 1280, ready: 'Equity' },
    {
      name: 'webhook',
      path: `/webhooks/data/${webhook.id}`,
      theme: 'dark',
      width: 1280,
      ready: 'Deliveries',
    },
  ]
}

/** The latest run that made a signal of a payload: its receipt goes from the payload to the fill. */
async function runWithSignal(client: Client): Promise<number> {
  for await (const run of eachOf((part) => client.runs.list({ ...part, trigger: 'webhook' })))
    if (run.signal_id !== null) return run.id
  throw new Error('No payload of the example has become a signal.')
}

async function firstOf<Item>(list: Parameters<typeof eachOf<Item>>[0]): Promise<Item> {
  for await (const item of eachOf(list)) return item
  throw new Error('The example has not made what a picture shows.')
}

/** Makes one picture, and resolves with its size. */
async function take(browser: Browser, origin: string, folder: string, picture: Picture): Promise<number> {
  const { name, path, theme, width, ready, hasChart = false } = picture
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 720 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  })
  const tab = await context.newPage()
  await signIn(tab, origin, path)
  await tab.locator('main').getByText(ready, { exact: true }).first().waitFor()
  if (hasChart) await tab.locator('[data-drawn]').first().waitFor()
  await tab.getByLabel('Loading').first().waitFor({ state: 'detached' })
  // Names and figures that belong to others come with answers of their own.
  await sleep(2000)
  const png = await tab.screenshot({ animations: 'disabled', caret: 'hide' })
  await writeFile(join(folder, `${name}.png`), png)
  await context.close()
  return png.byteLength
}

async function signIn(tab: Page, origin: string, path: string): Promise<void> {
  await tab.goto(`${origin}/sign-in?next=${encodeURIComponent(path)}`)
  await tab.getByLabel('E-mail address').fill(credentials.email)
  await tab.getByLabel('Password').fill(credentials.password)
  await tab.keyboard.press('Enter')
  await tab.getByRole('status').filter({ hasText: 'Up to date' }).waitFor()
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
