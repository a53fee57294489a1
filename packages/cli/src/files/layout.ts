import { wrongUse } from '../failures.ts'

/** The kinds of objects that have files, in the order in which they are shown. */
export const kinds = [
  'data-webhook',
  'bot-webhook',
  'code-strategy',
  'code-reaction',
  'llm-reaction',
  'llm-session',
  'signal-bot',
] as const
export type Kind = (typeof kinds)[number]

/** Where the files of a kind are. `word` is the `kind` in files of a folder that has several kinds. */
type Place = { folder: Folder; word?: string; text?: { field: 'code' | 'prompt'; ending: '.js' | '.md' } }

export const folders = ['strategies', 'reactions', 'webhooks', 'bots', 'ai'] as const
export type Folder = (typeof folders)[number]

const code = { field: 'code', ending: '.js' } as const
const prompt = { field: 'prompt', ending: '.md' } as const

export const places: Readonly<Record<Kind, Place>> = {
  'data-webhook': { folder: 'webhooks', word: 'data' },
  'bot-webhook': { folder: 'webhooks', word: 'bot' },
  'code-strategy': { folder: 'strategies', text: code },
  'code-reaction': { folder: 'reactions', text: code },
  'llm-reaction': { folder: 'ai', word: 'reaction', text: prompt },
  'llm-session': { folder: 'ai', word: 'session', text: prompt },
  'signal-bot': { folder: 'bots' },
}

export const settingsEnding = '.yaml'
/** The file that makes a folder a project. */
export const projectFile = 'tickwright.yaml'
/** What belongs to this machine alone, and not into git. */
export const ownFolder = '.tickwright'

/** The ending of the texts in a folder. */
export function textEnding(folder: Folder): string | undefined {
  return kinds.map((kind) => places[kind]).find((place) => place.folder === folder)?.text?.ending
}

/** The kinds whose files are in a folder. */
export function kindsIn(folder: Folder): readonly Kind[] {
  return kinds.filter((kind) => places[kind].folder === folder)
}

const keyPattern = /^[a-z0-9][a-z0-9_-]{0,99}$/
/** Windows keeps these names for devices, with any ending. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Whether this can be the name of a file on every system. In lower case only, because some systems take `Rsi` and `rsi` for
 * the same file.
 */
export function isKey(text: string): boolean {
  return keyPattern.test(text) && !devices.test(text)
}

/** @throws {Failure} if a file with this name cannot be used on every system */
export function demandKey(key: string, path: string): void {
  if (isKey(key)) return
  throw wrongUse(
    `${path}: the name of a file begins with a letter or a digit, and has only lower-case letters, digits, '-' and '_', at most 100. Windows keeps names such as con and nul for itself.`,
  )
}

/** A name of a file for an object with this name. @param taken those that others have */
export function keyFor(name: string, kind: Kind, id: number, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  const base = isKey(plain) ? plain : `${kind}-${id}`
  return taken.has(base) ? `${base}-${id}` : base
}
