import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { installedBrowser } from '../../client/test/tarball.ts'
import { fileResources } from './databases.ts'

/** The complaints of a page: errors of scripts, and violations of its content security policy. */
type Complaints = string[]

const missing = 'Chromium is not installed. Install it, or set CHROMIUM_PATH.'

/** Registers a test with a tab of a real, fresh browser. The test fails if the page complains. */
export function inBrowser(
  name: string,
  fn: (tab: Page, complaints: Complaints) => Promise<void>,
  options: BrowserContextOptions = {},
): void {
  test(name, async (context) => {
    opened ??= openBrowser()
    const browser = await opened
    if (browser === undefined) return context.skip(missing)
    const tab = await browser.newPage(options)
    tab.setDefaultTimeout(10_000)
    const complaints = listen(tab)
    await fn(tab, complaints)
    await tab.context().close()
    assert.deepEqual(complaints, [])
  })
}

function listen(tab: Page): Complaints {
  const complaints: Complaints = []
  tab.on('pageerror', (error) => complaints.push(String(error)))
  tab.on('console', (message) => {
    // The browser also logs each refusal of the service.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text())
  })
  return complaints
}

/** One for all tests of a file. */
let opened: Promise<Browser | undefined> | undefined

async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = await installedBrowser()
  if (executablePath === undefined) return undefined
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  fileResources.defer(() => browser.close())
  return browser
}
