import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More elements than any page has between two that a flow needs. */
const mostSteps = 150

/** Presses Tab until this has the focus and shows it, as someone without a mouse does. */
export async function tabTo(tab: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = target.and(tab.locator(':focus-visible'))
  for (let step = 0; step < mostSteps; step++) {
    if ((await focused.count()) === 1) return
    await tab.keyboard.press('Tab')
  }
  assert.fail(`Tab never comes to ${target}.`)
}

/** Goes to this by Tab, and presses Enter there. */
export async function enterOn(tab: Page, target: Locator): Promise<void> {
  await tabTo(tab, target)
  await tab.keyboard.press('Enter')
}

/** Goes to this tab of a page: by Tab to the one that is chosen, and from there by arrows. */
export async function chooseTab(tab: Page, name: string): Promise<void> {
  await tabTo(tab, tab.getByRole('tab', { selected: true }))
  const wanted = tab.getByRole('tab', { name, exact: true })
  for (let step = 0; step < 20; step++) {
    if ((await wanted.and(tab.locator(':focus')).count()) === 1) break
    await tab.keyboard.press('ArrowRight')
  }
  await tab.keyboard.press('Enter')
  await wanted.and(tab.locator('[aria-selected=true]')).waitFor()
}
