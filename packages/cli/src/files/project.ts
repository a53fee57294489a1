import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { Failure, wrongUse } from '../failures.ts'
import { namesIn, readText } from './disk.ts'
import {
  demandKey,
  type Folder,
  folders,
  type Kind,
  kindsIn,
  places,
  projectFile,
  settingsEnding,
  textEnding,
} from './layout.ts'
import { secretIn } from './secrets.ts'

/** Settings as a file has them. */
export type Settings = Record<string, unknown>

/** An object that has files. */
export type LocalObject = {
  kind: Kind
  key: string
  /** Its file with settings, from the folder of the project, with `/`. */
  path: string
  settings: Settings
  /** The settings as they are written. */
  source: string
  /** Its code or its prompt, byte for byte. */
  text: string | undefined
}

export type Project = { root: string; name: string; objects: readonly LocalObject[] }

/** The folder of the project that a folder is in. @throws {Failure} if there is none */
export async function projectRoot(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await lstat(join(at, projectFile)).catch(() => undefined)
    if (found !== undefined) return at
    if (dirname(at) === at)
      throw wrongUse(`There is no ${projectFile} here, nor in a folder above. Run: tickwright init`)
  }
}

/**
 * Reads all files of the project that a folder is in.
 * @throws {Failure} with everything that is wrong with them
 */
export async function readProject(folder: string): Promise<Project> {
  const root = await projectRoot(folder)
  const { project } = parsed(projectFile, (await readText(join(root, projectFile))) ?? '')
  if (typeof project !== 'string' || !/^[a-z0-9][a-z0-9_-]{0,99}$/.test(project))
    throw wrongUse(
      `${projectFile}: project must be a name of lower-case letters, digits, '-' and '_', such as my-strategies.`,
    )
  const objects: LocalObject[] = []
  const problems: string[] = []
  for (const folder of folders) {
    for (const key of await keysIn(root, folder, problems)) {
      try {
        objects.push(await readObject(root, folder, key))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        problems.push(error.message)
      }
    }
  }
  if (problems.length > 0) throw new Failure(problems.join('\n'))
  return { root, name: project, objects }
}

/** The names of the files in a folder, without their endings. */
async function keysIn(root: string, folder: Folder, problems: string[]): Promise<string[]> {
  const ending = textEnding(folder)
  const keys = new Set<string>()
  const texts = new Set<string>()
  for (const name of await namesIn(join(root, folder))) {
    const found = [settingsEnding, ...(ending === undefined ? [] : [ending])].find((each) =>
      name.endsWith(each),
    )
    if (found === undefined || name.startsWith('.') || /^readme\.md$/i.test(name)) continue
    const key = name.slice(0, -found.length)
    try {
      demandKey(key, `${folder}/${name}`)
      if (found === settingsEnding) keys.add(key)
      else texts.add(key)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  for (const key of texts) {
    const path = `${folder}/${key}${settingsEnding}`
    if (!keys.has(key))
      problems.push(
        `${folder}/${key}${ending}: it has no settings. Write them to ${path}; the file may be empty.`,
      )
  }
  return [...keys].sort()
}

async function readObject(root: string, folder: Folder, key: string): Promise<LocalObject> {
  const path = `${folder}/${key}${settingsEnding}`
  const source = await readText(join(root, path))
  if (source === undefined) throw new Failure(`${path} has gone while it was read.`)
  const { kind: word, variables: _, ...settings } = parsed(path, source)
  const kind = kindOf(folder, word, path)
  const { text: own } = places[kind]
  const textPath = `${folder}/${key}${own?.ending}`
  const text = own === undefined ? undefined : await readText(join(root, textPath))
  if (own !== undefined && text === undefined)
    throw new Failure(`${path}: its ${own.field} is missing. Write it to ${textPath}.`)
  for (const [at, content] of [
    [path, source],
    [textPath, text ?? ''],
  ] as const) {
    const secret = secretIn(content)
    if (secret !== undefined)
      throw new Failure(
        `${at}:${secret.line}: this looks like ${secret.what}. Secrets do not belong into files: keep them in variables.`,
      )
  }
  for (const field of ['status', 'url', 'has_key', 'code', 'prompt'])
    if (Object.hasOwn(settings, field)) throw new Failure(`${path}: ${field} does not belong into files.`)
  return { kind, key, path, settings, source, text }
}

function kindOf(folder: Folder, word: unknown, path: string): Kind {
  const possible = kindsIn(folder)
  const found =
    possible.length === 1 && word === undefined
      ? possible[0]
      : possible.find((kind) => places[kind].word === word)
  if (found !== undefined) return found
  const words = possible.flatMap((kind) => places[kind].word ?? [])
  throw new Failure(
    words.length === 0 ? `${path}: kind is unknown here.` : `${path}: kind must be ${words.join(' or ')}.`,
  )
}

/** @throws {Failure} if it is not the YAML of an object */
function parsed(path: string, source: string): Settings {
  const document = parseDocument(source, { schema: 'core', prettyErrors: true, logLevel: 'error' })
  const [problem] = document.errors
  if (problem?.code === 'MULTIPLE_DOCS')
    throw new Failure(`${path}: it must be one document, without a second one behind ---.`)
  if (problem !== undefined)
    throw new Failure(`${path}: ${problem.message.split('\n')[0]!.replace(/:$/, '')}`)
  let value: unknown
  try {
    // An alias could stand for a text that is huge when it is written out.
    value = document.toJS({ maxAliasCount: 0 })
  } catch {
    throw new Failure(`${path}: aliases (*) are not allowed.`)
  }
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Failure(`${path}: it must have settings, each with a name.`)
  return value as Settings
}
