import type { Page } from 'playwright-core'
import { patienceMs } from '../patience.ts'
import { password, sessionOf } from '../users.ts'

/** Fills in the form of the sign-in, and sends it. */
export async function enter(tab: Page, email: string): Promise<void> {
  await tab.getByLabel('E-mail address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.keyboard.press('Enter')
}

/**
 * Opens a page of the dashboard as this user, and waits until it is live. Uses the session with which the user was
 * created, because signing in is meant to cost time; signs in if it has ended.
 */
export async function openPage(
  tab: Page,
  service: { url: string },
  email: string,
  path: string,
): Promise<void> {
  const cookie = sessionOf(email)
  if (cookie !== undefined) {
    const [name, value] = cookie.split('=') as [string, string]
    await tab.context().addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }])
  }
  await tab.goto(service.url + path)
  const isLive = tab.getByRole('status').filter({ hasText: 'Up to date' })
  const form = tab.getByLabel('E-mail address')
  await isLive.or(form).first().waitFor()
  if (await form.isVisible()) await enter(tab, email)
  await isLive.waitFor()
}

/** The same with a session of its own, for tests about sessions. */
export async function openPageBySigningIn(
  tab: Page,
  service: { url: string },
  email: string,
  path: string,
): Promise<void> {
  await tab.goto(service.url + path)
  await enter(tab, email)
  await tab.getByRole('status').filter({ hasText: 'Up to date' }).waitFor()
}

/**
 * Goes to another page or tab within the document, as a link does, and waits until the former one is gone. To load the
 * document again takes several times as long.
 */
export async function visit(tab: Page, path: string): Promise<void> {
  const { pathname, search } = new URL(tab.url())
  if (pathname + search === path) return
  // A text, because the types of Node do not know pages.
  await tab.evaluate(`(async () => {
    const left = [...document.querySelectorAll('main > *, [role=tabpanel]')]
    history.pushState(null, '', ${JSON.stringify(path)})
    const end = performance.now() + ${patienceMs}
    while (left.every((each) => each.isConnected)) {
      if (performance.now() > end) throw new Error('The former page stays: ' + location.pathname)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  })()`)
}
