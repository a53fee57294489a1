import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const text = await readFile(join(import.meta.dirname, 'guest.js'), 'utf8')

/** A script whose value is the `run` of `guest.js`. */
export function guestScript({ shared }: { shared: boolean }): string {
  const openGuest = text.slice(text.indexOf(';(') + 1).trimEnd()
  return `${openGuest}(${shared})`
}

/** The value of `guest.js`. */
export type GuestRun = (
  code: string,
  storage: string,
  data: string,
  act: () => Promise<unknown>,
) => Promise<string>
