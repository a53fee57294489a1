import { randomBytes } from 'node:crypto'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import { wrongUse } from '../failures.ts'
import { readText, writeText } from '../files/disk.ts'
import { ownFolder, projectFile } from '../files/layout.ts'
import { linkTypes, typesFolder } from '../files/types.ts'

const readers = `{
  "extends": "./${typesFolder}/tsconfig.strategy.json",
  "compilerOptions": { "types": ["./${typesFolder}"] },
  "include": ["strategies/*.js", "reactions/*.js"]
}
`

/** Makes a folder a project. It overwrites nothing. */
export async function init(context: Context, name: string | undefined): Promise<void> {
  const { cwd } = context.world
  const path = join(cwd, projectFile)
  if ((await readText(path)) !== undefined) throw wrongUse(`${path} exists already.`)
  const project = name ?? `${plain(basename(cwd))}-${randomBytes(3).toString('hex')}`
  if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(project))
    throw wrongUse(
      `'${project}' cannot be the name of a project: use up to 100 lower-case letters, digits, '-' and '_'.`,
    )
  await writeText(join(cwd, ownFolder, '.gitignore'), '*\n')
  if ((await readText(join(cwd, 'jsconfig.json'))) === undefined)
    await writeText(join(cwd, 'jsconfig.json'), readers)
  await writeText(
    path,
    `# The service remembers under this name what came from these files. Two projects need two names.\nproject: ${project}\n`,
  )
  await linkTypes(context, cwd)
  context.out.record({ project, folder: cwd }, [
    ['project', project],
    ['next', 'tickwright pull'],
  ])
}

function plain(text: string): string {
  const cut = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
  return cut === '' ? 'strategies' : cut
}
