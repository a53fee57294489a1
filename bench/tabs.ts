import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../test/chromium.ts'
import { password } from './accounts.ts'

/** A network of a phone, and a processor four times slower than this one. */
const slowNetwork = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (0.75 * 1024 * 1024) / 8,
}
const slowdown = 4

export async function openBrowser(): Promise<Browser & AsyncDisposable> {
  const executablePath = await chromiumPath()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() })
}

/** A tab of a new browser profile, whose user has signed in. It shows the overview. */
export async function signedInTab(browser: Browser, baseUrl: string, email: string): Promise<Page> {
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const tab = await profile.newPage()
  tab.setDefaultTimeout(60_000)
  await tab.goto(`${baseUrl}/sign-in`)
  await tab.getByLabel('E-mail address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
  await untilLive(tab)
  return tab
}

/** Waits until the page follows what happens. */
export async function untilLive(tab: Page): Promise<void> {
  await tab.getByRole('status').filter({ hasText: 'Up to date' }).waitFor()
}

/** Slows down network and processor of a tab. */
export async function slowDown(tab: Page): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', slowNetwork)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
}

/** What the heap of a tab holds after a garbage collection, in MB. */
export async function heapMb(tab: Page): Promise<number> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 2 ** 20
}

/** Starts a server for pages that belong to no service. */
export async function onLoopback(server: Server): Promise<AsyncDisposable & { url: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
