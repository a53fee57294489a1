import { ApiError } from '@tickwright/client'
import type { Context } from '../context.ts'
import { exitCodes, Failure } from '../failures.ts'
import { differencesFrom, type Fixture, readFixtures } from '../files/fixtures.ts'
import { readProject } from '../files/project.ts'
import { testRun } from '../files/test-run.ts'

type Differences = ReturnType<typeof differencesFrom>

/** Runs the code of files with each of its fixtures, as test runs: they send no signal and store nothing. */
export async function test(context: Context, name: string | undefined): Promise<void> {
  const project = await readProject(context.world.cwd)
  const fixtures = await readFixtures(project, name)
  if (fixtures.length === 0)
    throw new Failure(name === undefined ? 'There are no tests.' : `There are no tests of '${name}'.`)
  const done: { file: string; same: boolean; differences: Differences }[] = []
  for (const fixture of fixtures) {
    const differences = await run(context, fixture)
    done.push({ file: fixture.path, same: differences.length === 0, differences })
  }
  const differing = done.filter(({ same }) => !same)
  context.out.rows(
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
  if (differing.length > 0)
    throw new Failure(`${differing.length} of ${done.length} tests differ.`, exitCodes.differs)
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
