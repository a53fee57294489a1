import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { until } from '../until.ts'

/** Waits until this reads so: a page shows what it has, and completes it when more answers arrive. */
export async function assertText(shown: Locator, pattern: RegExp): Promise<void> {
  let text = ''
  const reads = async () => {
    text = await shown.innerText()
    return pattern.test(text)
  }
  // The message of the assertion has the text.
  await until(`${pattern}`, reads).catch(() => assert.match(text, pattern))
}

/** Waits until there are so many of these. For none at all, wait for what shows that the page is complete instead. */
export async function assertCount(shown: Locator, count: number): Promise<void> {
  await until(`${count} of ${shown}`, async () => (await shown.count()) === count)
}
