import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../test/repository.ts'

const execute = promisify(execFile)

/** An empty project with the client installed from its tarball. */
export type Project = AsyncDisposable & {
  folder: string
  /** The files in the tarball. */
  packed: string[]
  /** Writes a file in the project. */
  write(name: string, text: string): Promise<void>
  /** Runs a program in the project, without this process's environment; resolves to its output. */
  run(program: string, ...args: string[]): Promise<string>
}

type Packed = { filename: string; files: { path: string }[] }

/** Packs the client with `npm pack`, in a copy of the needed part of the repository, and installs the tarball. */
export async function installTarball(): Promise<Project> {
  await using acquired = new AsyncDisposableStack()
  const { path } = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-client-')))
  const copy = join(path, 'repository')
  const client = join(copy, 'packages/client')
  for (const name of ['packages/client', 'scripts/client-package.ts', 'LICENSE', 'package.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  const npm = (cwd: string, ...args: string[]) => execute('npm', args, { cwd, env: environment() })
  const { stdout } = await npm(client, 'pack', '--json', '--pack-destination', path)
  const [{ filename, files }] = Object.values(JSON.parse(stdout)) as [Packed]
  const folder = join(path, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(path, filename))
  const kept = acquired.move()
  return {
    folder,
    packed: files.map((file) => file.path).sort(),
    write: (name, text) => writeFile(join(folder, name), text),
    run: async (program, ...args) => {
      const { stdout } = await execute(program, args, { cwd: folder, env: environment() })
      return stdout.trim()
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Every Node on the search path with version 20 or later, each version once, this process's first. */
export async function installedNodes(): Promise<string[]> {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const versions = new Map<string, string>()
  for (const place of [process.execPath, ...places]) {
    const version = await execute(place, ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => 'v0',
    )
    if (Number(version.slice(1).split('.')[0]) >= 20 && !versions.has(version)) versions.set(version, place)
  }
  return [...versions.values()]
}

/** The environment without npm's own variables, which would affect the npm that is started here. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm|node)_/i.test(name))
  return Object.fromEntries(own)
}
