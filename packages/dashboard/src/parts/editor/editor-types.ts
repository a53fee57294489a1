/** What the editor and its users tell each other. */

/** Where a mark comes from: the check of the service, a test run, or the types. */
export type MarkSource = 'check' | 'run' | 'types'

/** Something wrong in the code. Offsets count UTF-16 units. */
export type Mark = {
  from: number
  /** Without it, the mark covers the word at `from`. */
  to?: number
  severity: 'error' | 'warning'
  message: string
  /** What to do instead. */
  remedy?: string | null
}

/** A name that can stand at a place in the code. */
export type Suggestion = {
  name: string
  kind: 'function' | 'property' | 'variable' | 'keyword' | 'class'
  /** Its type, on one line. */
  type?: string
  /** What it is for. */
  about?: string
}

/** The members of each type of `$`, by its name. The build makes it from the types of `$`. */
export type MemberTable = Record<string, readonly Suggestion[]>

/** Names that can follow. `from`: where the part that is already written begins. */
export type Suggestions = { from: number; names: readonly Suggestion[] }

/** What the code means at a place. */
export type Meaning = { from: number; to: number; type: string; about: string }

/** Answers what only the types of `$` can answer. */
export type Types = {
  suggest(code: string, offset: number): Promise<Suggestions | null>
  /** More about one of the names at a place. */
  describe(code: string, offset: number, name: string): Promise<{ type: string; about: string } | null>
  explain(code: string, offset: number): Promise<Meaning | null>
  check(code: string): Promise<readonly Mark[]>
}

export type EditorOptions = {
  label: string
  text: string
  language: 'javascript' | 'json'
  isReadOnly: boolean
  onChange: (text: string) => void
  onSave: () => void
  onRun: () => void
  /** Resolves with the types, as soon as they are there. */
  types: () => Types | null
}

/** An editor on the page. */
export type EditorHandle = {
  text(): string
  /** Replaces the text as one step that can be undone. The cursor stays where it can. */
  replace(text: string): void
  mark(source: MarkSource, marks: readonly Mark[]): void
  /** Shows a place and puts the cursor there. */
  reveal(offset: number): void
  focus(): void
  destroy(): void
}
