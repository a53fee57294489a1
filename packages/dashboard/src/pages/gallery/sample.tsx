import type { ReactNode } from 'react'

/** One state of a component. */
export type Sample = { name: string; content: ReactNode }

/** A component with all its states. */
export type Exhibit = {
  /** The name of the component; also in the address, and of its screenshot. */
  name: string
  samples: readonly Sample[]
}

/** What others may write: markup, a change of direction, nothing to break a line at. */
export const hostile = `<b onclick="alert(1)">bold</b> \u202Eevil\u202C \u0000 ${'x'.repeat(60)}`
