/** What the page and the worker of the types tell each other. */

import type { Mark, Meaning, Suggestions } from '../editor-types.ts'

export type Question =
  | { about: 'names'; code: string; offset: number }
  | { about: 'name'; code: string; offset: number; name: string }
  | { about: 'meaning'; code: string; offset: number }
  | { about: 'errors'; code: string }

export type Asked = { id: number; question: Question }

export type Told =
  /** The types are read, and answers come quickly from now on. */
  | { ready: true }
  | { id: number; result: Suggestions | Described | Meaning | readonly Mark[] | null }
  | { id: number; failure: string }

export type Described = { type: string; about: string }

/** Texts by the paths under which the compiler finds them. */
export type TypeFiles = {
  files: Record<string, string>
  /** The libraries of JavaScript that strategies have, by the names of their files. */
  libraries: string[]
}
