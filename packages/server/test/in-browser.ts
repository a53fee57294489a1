import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../../test/chromium.ts'
import { fileResources } from './file-resources.ts'
import { longPatienceMs, patienceMs } from './patience.ts'

/** The complaints of a page: errors of scripts, and violations of its content security policy. */
type Complaints = string[]

/** Registers a test with a tab of a real, fresh browser. The test fails if the page complains. */
export function inBrowser(
  name: string,
  fn: (tab: Page, complaints: Complaints) => Promise<void>,
  options: BrowserContextOptions = {},
): void {
  test(name, async () => {
    opened ??= openBrowser()
    const tab = await newTab(await opened, options)
    const complaints = listen(tab)
    await fn(tab, complaints)
    await tab.context().close()
    assert.deepEqual(complaints, [])
  })
}

/** A tab of someone else: it shares no cookies with this one. */
export async function strangersTab(tab: Page): Promise<Page> {
  return await newTab(tab.context().browser()!)
}

async function newTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  context.setDefaultNavigationTimeout(longPatienceMs)
  return await context.newPage()
}

function listen(tab: Page): Complaints {
  const complaints: Complaints = []
  tab.on('pageerror', (error) => complaints.push(error.stack ?? String(error)))
  tab.on('console', (message) => {
    // The browser also logs each refusal of the service.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text())
  })
  return complaints
}

/** One for all tests of a file. */
let opened: Promise<Browser> | undefined

async function openBrowser(): Promise<Browser> {
  const executablePath = await chromiumPath()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  fileResources.defer(() => browser.close())
  return browser
}
