import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** In these, each page and dialog has to be accessible. Once a width has been checked, only its colours can differ. */
const looks = [
  { colorScheme: 'light', width: 1280, rules: undefined },
  { colorScheme: 'dark', width: 1280, rules: ['color-contrast'] },
  { colorScheme: 'dark', width: 390, rules: undefined },
  { colorScheme: 'light', width: 390, rules: ['color-contrast'] },
] as const

/**
 * Fails if axe finds a violation in what the tab shows now, light or dark, wide or narrow, or if that scrolls sideways.
 * Leaves the tab light and 1280 px wide.
 * @param where names the view in the message
 * @param isWide for what only a wide window has
 */
export async function checkLooks(tab: Page, where: string, { isWide = false } = {}): Promise<void> {
  // A debugger may evaluate what the policy of the pages keeps out. Reading 650 KB of axe again would take as long as the
  // check of one theme.
  if (await tab.evaluate('typeof axe === "undefined"')) await tab.evaluate(await axe())
  await tab.emulateMedia({ reducedMotion: 'reduce' })
  for (const { colorScheme, width, rules } of looks) {
    if (isWide && width < 1280) continue
    await tab.emulateMedia({ colorScheme })
    await tab.setViewportSize({ width, height: 800 })
    await check(tab, rules, `${where}, ${colorScheme}, ${width} px`)
  }
  await tab.emulateMedia({ colorScheme: 'light' })
  await tab.setViewportSize({ width: 1280, height: 800 })
}

let source: Promise<string> | undefined

function axe(): Promise<string> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return source
}

/** Colours change over some frames, even if only a few. A text, because the types of Node do not know pages. */
const settle = `(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
})()`

/** The page follows a new width when it has time for it, which no event tells. One look can take some seconds. */
const followsWithinMs = 5_000
const fewestLooks = 5

async function check(tab: Page, rules: readonly string[] | undefined, where: string): Promise<void> {
  const endMs = performance.now() + followsWithinMs
  for (let look = 1; ; look++) {
    const found = await problemsOf(tab, rules)
    if (found.length === 0) return
    if (look >= fewestLooks && performance.now() > endMs) assert.deepEqual(found, [], where)
  }
}

async function problemsOf(tab: Page, rules: readonly string[] | undefined): Promise<unknown[]> {
  await tab.evaluate(settle)
  const violations = await tab.evaluate(async (rules) => {
    // The size of what a pointer aims at, 24 px, is not among the rules by default.
    const all = { rules: { 'target-size': { enabled: true } } }
    const options = { resultTypes: ['violations'], preload: false, ...(rules ? { runOnly: rules } : all) }
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there
    const results = await (globalThis as any).axe.run(options)
    return results.violations.map(
      (violation: { id: string; nodes: { html: string; failureSummary: string }[] }) => ({
        id: violation.id,
        nodes: violation.nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
      }),
    )
  }, rules)
  const [content, window] = await tab.locator('html').evaluate((html) => [html.scrollWidth, html.clientWidth])
  return content! <= window! ? violations : [...violations, `scrolls sideways: ${content} > ${window}`]
}
