import { lstat, mkdir, readlink, symlink, unlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import { ownFolder } from './layout.ts'

/** Where editors find the types of `$`, from the folder of the project. */
export const typesFolder = `${ownFolder}/types`

/**
 * Has a project use the types that are installed beside this program, without a network. What is in their place and is no
 * link stays. Without the types, it says how to get them, which is no failure: only editors need them.
 */
export async function linkTypes({ world, out }: Context, root: string): Promise<void> {
  const types = installedTypes()
  if (types === undefined) {
    out.say(
      'The types for editors are not installed here. In a clone of Tickwright: npm install. Elsewhere: npm install --global @tickwright/runtime-types',
    )
    return
  }
  const path = join(root, typesFolder)
  const found = await lstat(path).catch(() => undefined)
  if (found !== undefined && !found.isSymbolicLink()) return
  if (found !== undefined) {
    if ((await readlink(path)) === types) return
    await unlink(path)
  }
  await mkdir(dirname(path), { recursive: true })
  // On Windows, only such a link takes no further right.
  await symlink(types, path, world.platform === 'win32' ? 'junction' : 'dir').catch((error: Error) =>
    out.say(`The types for editors could not be linked: ${error.message}`),
  )
}

function installedTypes(): string | undefined {
  try {
    const name = '@tickwright/runtime-types/tsconfig.strategy.json'
    return dirname(createRequire(import.meta.url).resolve(name))
  } catch {
    return undefined
  }
}
