import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** A complaint of the compiler about a line of a strategy. Lines count from 1. */
export type Complaint = { line: number; code: string; message: string }

/**
 * Checks strategies as an editor with our configuration does, in one run of the compiler. Returns the complaints about
 * each strategy.
 * @throws if the compiler complains about anything else
 */
export async function typeCheck(strategies: readonly string[]): Promise<Complaint[][]> {
  await using project = await mkdtempDisposable(join(tmpdir(), 'tickwright-types-'))
  const packages = join(project.path, 'node_modules/@tickwright')
  await mkdir(packages, { recursive: true })
  await symlink(join(repository, 'packages/runtime-types'), join(packages, 'runtime-types'))
  const config = {
    extends: '@tickwright/runtime-types/tsconfig.strategy.json',
    // The compiler checks our declarations too.
    compilerOptions: { skipLibCheck: false },
    include: ['*.js'],
  }
  await writeFile(join(project.path, 'jsconfig.json'), JSON.stringify(config))
  for (const [index, code] of strategies.entries()) {
    // As in the service, the code is the body of an async function.
    await writeFile(join(project.path, `${index}.js`), `async function strategy() {\n${code}\n}\n`)
  }
  const complaints: Complaint[][] = strategies.map(() => [])
  for (const line of await compile(project.path)) {
    const match = /^(\d+)\.js\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line)
    if (match === null) throw new Error(`The compiler complains of more than strategies:\n${line}`)
    const [, index, row, code, message] = match as unknown as [string, string, string, string, string]
    complaints[Number(index)]!.push({ line: Number(row) - 1, code, message })
  }
  return complaints
}

/** The compiler's complaints, one line each, without the details that follow a complaint. */
async function compile(folder: string): Promise<string[]> {
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  const options = ['--project', 'jsconfig.json', '--pretty', 'false']
  const run = promisify(execFile)(process.execPath, [compiler, ...options], { cwd: folder })
  const output = await run.then(
    () => '',
    (failure: { stdout?: string }) => {
      // If it complains, its exit code is not 0.
      if (!failure.stdout) throw failure
      return failure.stdout
    },
  )
  return output.split('\n').filter((line) => line !== '' && !line.startsWith(' '))
}
