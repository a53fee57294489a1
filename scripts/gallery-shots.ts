/**
 * `node scripts/gallery-shots.ts FOLDER [BEFORE]`: makes screenshots of the dashboard's gallery into a folder, one of
 * each component, light and dark, 1280 and 390 px wide. With the folder of earlier ones, it lists what looks different.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

import { startServer } from '../packages/dashboard/build/serve.ts'
import { moment } from '../packages/dashboard/src/pages/gallery/moment.ts'
import { chromiumPath } from '../test/chromium.ts'

const usage = 'Usage: node scripts/gallery-shots.ts FOLDER [BEFORE]'
const themes = ['light', 'dark'] as const
const widths = [1280, 390] as const

async function main([folder, before, ...rest]: string[]): Promise<void> {
  if (folder === undefined || folder.startsWith('-') || rest.length > 0) throw new Error(usage)
  const executablePath = await chromiumPath()
  await mkdir(folder, { recursive: true })
  // No service stands behind it: the gallery asks for nothing.
  const { url, server } = await startServer(0, 'http://127.0.0.1:9')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const names: string[] = []
    for (const width of widths) {
      for (const theme of themes) names.push(...(await shoot(browser, { url, folder, theme, width })))
    }
    console.log(`${names.length} screenshots are in ${folder}.`)
    if (before !== undefined) console.log((await differences(folder, before)).join('\n'))
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
}

type Shooting = { url: string; folder: string; theme: (typeof themes)[number]; width: number }

/** Makes the screenshots in one theme and width, and resolves with their names. */
async function shoot(browser: Browser, { url, folder, theme, width }: Shooting): Promise<string[]> {
  const context = await browser.newContext({
    // So high that nothing has to scroll, which would move it by parts of a pixel.
    viewport: { width, height: 4000 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  })
  const tab = await context.newPage()
  await tab.clock.setFixedTime(moment + 2000)
  const made: string[] = []
  const keep = async (name: string, png: Buffer) => {
    const file = `${name}-${theme}-${width}.png`
    await writeFile(join(folder, file), png)
    made.push(file)
  }
  await tab.goto(`${url}/gallery?theme=${theme}`)
  const exhibits = tab.locator('[data-exhibit]')
  await exhibits.first().waitFor()
  const names = await exhibits.evaluateAll((found) => found.map((one) => one.getAttribute('data-exhibit')!))
  for (const name of names) {
    // Alone on the page: otherwise it would move by parts of a pixel when one above it changes.
    await tab.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    const shown = tab.locator(`[data-exhibit="${name}"]`)
    await shown.waitFor()
    await exhibits.nth(1).waitFor({ state: 'detached' })
    await keep(nameOf(name), await shown.screenshot(still))
  }
  await tab.setViewportSize({ width, height: 800 })
  for (const dialog of await dialogsOf(tab)) {
    await tab.goto(`${url}/gallery?theme=${theme}&part=none&dialog=${dialog}`)
    await tab.getByRole('dialog').waitFor()
    await keep(`dialog-${dialog}`, await tab.screenshot(still))
  }
  await context.close()
  return made
}

const still = { animations: 'disabled', caret: 'hide' } as const

function nameOf(exhibit: string): string {
  return exhibit.toLowerCase().replaceAll(/\W+/g, '-')
}

async function dialogsOf(tab: Page): Promise<string[]> {
  const names = await tab.getByRole('link', { name: 'Dialog: ' }).allInnerTexts()
  return names.map((name) => name.slice('Dialog: '.length))
}

/** What two folders with screenshots differ in, byte by byte: the same browser draws the same page in the same bytes. */
async function differences(folder: string, before: string): Promise<string[]> {
  const [now, then] = [await readdir(folder), await readdir(before)]
  const lines: string[] = []
  for (const file of [...new Set([...now, ...then])].sort()) {
    if (!then.includes(file)) lines.push(`new:     ${file}`)
    else if (!now.includes(file)) lines.push(`missing: ${file}`)
    else if (!(await readFile(join(folder, file))).equals(await readFile(join(before, file))))
      lines.push(`changed: ${file}`)
  }
  return lines.length === 0 ? ['Nothing looks different.'] : lines
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
