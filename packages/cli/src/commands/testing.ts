import { ApiError } from '@tickwright/client'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../failures.ts'
import { differencesFrom, type Fixture, readFixtures } from '../files/fixtures.ts'
import { readProject } from '../files/project.ts'
import { testRun } from '../files/test-run.ts'
import { withLocalService } from '../local-service.ts'

type Differences = ReturnType<typeof differencesFrom>

type Tested = { file: string; same: boolean; differences: Differences }

/**
 * Runs the code of files with each of its fixtures, as test runs: they send no signal and store nothing. With `local`, and
 * if nobody has signed in, they run on a service of their own.
 */
export async function test(
  context: Context,
  name: string | undefined,
  { local = false }: { local?: boolean },
): Promise<void> {
  // What is wrong with the files is said before a service starts.
  await fixturesOf(context, name)
  const isLocal = local || !(await context.knowsService())
  const done = isLocal
    ? await withLocalService(context, (own) => runFixtures(own, name))
    : await runFixtures(context, name)
  show(context, done)
  const differing = done.filter(({ same }) => !same)
  if (differing.length > 0)
    throw new Failure(`${differing.length} of ${done.length} tests differ.`, exitCodes.differs)
}

/** Runs every test of the files; there may be none. */
export async function testsOf(context: Context): Promise<Tested[]> {
  return runEach(context, await readFixtures(await readProject(context.world.cwd), undefined))
}

async function runFixtures(context: Context, name: string | undefined): Promise<Tested[]> {
  return runEach(context, await fixturesOf(context, name))
}

async function runEach(context: Context, fixtures: readonly Fixture[]): Promise<Tested[]> {
  const done: Tested[] = []
  for (const fixture of fixtures) {
    const differences = await run(context, fixture)
    done.push({ file: fixture.path, same: differences.length === 0, differences })
  }
  return done
}

/** @throws {Failure} if there are none */
async function fixturesOf(context: Context, name: string | undefined): Promise<Fixture[]> {
  const fixtures = await readFixtures(await readProject(context.world.cwd), name)
  if (fixtures.length === 0)
    throw new Failure(name === undefined ? 'There are no tests.' : `There are no tests of '${name}'.`)
  return fixtures
}

/** Shows which tests differ, and how. */
export function show({ out }: Context, done: readonly Tested[]): void {
  out.rows(
    [
      { title: 'result', value: ({ same }) => (same ? 'same' : 'differs') },
      { title: 'file', value: ({ file }) => file },
      {
        title: 'difference',
        value: ({ differences }) =>
          differences
            .map(
              ({ field, expected, actual }) =>
                `${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
            )
            .join('; '),
      },
    ],
    done,
    '',
  )
}

async function run(context: Context, { path, local, input, expect }: Fixture): Promise<Differences> {
  try {
    const outcome = await testRun(context, local, input)
    const error =
      outcome.error === null ? [] : [{ field: 'error', expected: null, actual: outcome.error.message }]
    const differences = differencesFrom(expect, outcome)
    return differences.some(({ field }) => field === 'status') ? [...differences, ...error] : differences
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) throw new Failure(`${path}: ${error.message}`)
    throw error
  }
}
