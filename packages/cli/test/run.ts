import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommandLine } from '../src/command-line.ts'

/** What a command did: its exit code, its data and its messages. */
export type Done = { code: number; out: string; err: string }

/** A home of a user, in a folder of its own. */
export type Home = AsyncDisposable & {
  path: string
  /** The folder with the settings of the program. */
  settings: string
  /** Runs a command in this process, without a terminal. `input` is its standard input. */
  run(command: string | readonly string[], options?: RunOptions): Promise<Done>
}

type RunOptions = {
  input?: string
  env?: Record<string, string>
  /** The folder in which the command is given; default: the home. */
  folder?: string
}

export async function makeHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'tickwright-home-'))
  return {
    path,
    settings: join(path, '.config', 'tickwright'),
    async run(command, { input = '', env = {}, folder = path } = {}) {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      for (const stream of [stdout, stderr]) stream.setEncoding('utf8')
      stdin.end(input)
      const args = typeof command === 'string' ? command.split(' ') : command
      const world = {
        env,
        stdin,
        stdout,
        stderr,
        platform: 'linux',
        home: path,
        cwd: folder,
        hostname: 'laptop',
      } as const
      const code = await runCommandLine(args, world)
      return { code, out: written(stdout), err: written(stderr) }
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** The records of a command with `--json`, which must have succeeded. */
export function records({ code, out, err }: Done) {
  assert.equal(code, 0, err)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function written(stream: PassThrough): string {
  let text = ''
  for (let part = stream.read(); part !== null; part = stream.read()) text += part
  return text
}
