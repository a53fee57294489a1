import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../failures.ts'
import { namesIn, readText } from './disk.ts'
import { demandKey } from './layout.ts'
import type { LocalObject, Project } from './project.ts'
import { secretIn } from './secrets.ts'

/** What a test run gets, and what it must do. */
export type Fixture = {
  /** Its file, from the folder of the project. */
  path: string
  local: LocalObject
  input: Record<string, unknown>
  expect: Record<string, unknown>
}

export const testsFolder = 'tests'
const inputs = ['payload', 'headers', 'ip', 'price', 'storage', 'last_trigger', 'http', 'seed', 'now']
/** `status` is that of the run, and `storage` the stored value after it. */
const outcomes = ['action', 'storage', 'log', 'status', 'stopped']

/**
 * The fixtures of a project: `tests/breakout/spike.json` is one of `reactions/breakout.js` or `strategies/breakout.js`.
 * @param only of the code with this name; default: all
 * @throws {Failure} with everything that is wrong with them
 */
export async function readFixtures({ root, objects }: Project, only: string | undefined): Promise<Fixture[]> {
  const fixtures: Fixture[] = []
  const problems: string[] = []
  for (const key of await namesIn(join(root, testsFolder))) {
    if (key.startsWith('.') || (only !== undefined && key !== only)) continue
    const folder = `${testsFolder}/${key}`
    const found = objects.filter((each) => each.key === key && each.kind.startsWith('code-'))
    if (found.length !== 1) {
      const why = found.length === 0 ? 'there is no code' : 'a strategy and a reaction both have code'
      problems.push(`${folder}: ${why} with this name.`)
      continue
    }
    for (const name of await namesIn(join(root, folder))) {
      if (!name.endsWith('.json') || name.startsWith('.')) continue
      try {
        const path = `${folder}/${name}`
        demandKey(name.slice(0, -'.json'.length), path)
        const source = (await readText(join(root, path))) ?? ''
        fixtures.push({ path, local: found[0]!, ...fixtureIn(path, source) })
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        problems.push(error.message)
      }
    }
  }
  if (problems.length > 0) throw new Failure(problems.join('\n'))
  return fixtures
}

function fixtureIn(path: string, source: string): Pick<Fixture, 'input' | 'expect'> {
  const secret = secretIn(source)
  if (secret !== undefined) throw new Failure(`${path}:${secret.line}: this looks like ${secret.what}.`)
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw new Failure(`${path}: ${(error as Error).message}`)
  }
  if (!isRecord(value) || !isRecord(value.expect) || Object.keys(value.expect).length === 0)
    throw new Failure(
      `${path}: it must be an object with "expect", such as {"payload": {}, "expect": {"action": "LONG"}}.`,
    )
  const { expect, ...input } = value
  for (const [names, known, where] of [
    [Object.keys(input), inputs, ''],
    [Object.keys(expect), outcomes, 'expect.'],
  ] as const) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new Failure(`${path}: ${where}${unknown} is unknown. Known are: ${known.join(', ')}.`)
  }
  return { input, expect }
}

/** What a test run did. */
export type Outcome = {
  status: string
  error: { message: string } | null
  log: string
  storage: { after: unknown }
  action: Record<string, unknown> | null
  stopped: boolean
}

/**
 * What differs from what a fixture expects: of `action`, the name or the given fields. Unless it says otherwise, the run
 * must succeed.
 */
export function differencesFrom(
  { status = 'SUCCEEDED', ...expect }: Record<string, unknown>,
  outcome: Outcome,
): { field: string; expected: unknown; actual: unknown }[] {
  const actual: Record<string, unknown> = {
    status: outcome.status,
    log: outcome.log,
    stopped: outcome.stopped,
    storage: outcome.storage.after,
    action: actionAs(expect.action, outcome.action),
  }
  return Object.entries({ status, ...expect })
    .filter(([field, expected]) => !isDeepStrictEqual(expected, actual[field]))
    .map(([field, expected]) => ({ field, expected, actual: actual[field] ?? null }))
}

/** The action with as much of it as somebody expects. */
function actionAs(expected: unknown, action: Outcome['action']): unknown {
  if (action === null) return null
  if (!isRecord(expected)) return action.action
  return Object.fromEntries(Object.keys(expected).map((name) => [name, action[name]]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
