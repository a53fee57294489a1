import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './repository.ts'

/** The oldest Node on which the command line and the service run. */
export const oldestNode = '24.9.0'

/**
 * The path of the oldest Node. npm installs it into a cache at the first call: some 45 MB.
 * @throws {Error} if npm cannot install it
 */
export async function olderNodePath(): Promise<string> {
  const cache = join(root, 'node_modules/.cache', `node-${oldestNode}`)
  const program = join(cache, 'node_modules/node/bin/node')
  const isThere = await access(program).then(
    () => true,
    () => false,
  )
  if (!isThere) await install(cache)
  return program
}

/** Beside the cache and then at once into its place, since another test may install it too. */
async function install(cache: string): Promise<void> {
  const own = `${cache}.${process.pid}`
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node@${oldestNode}`]
  await promisify(execFile)('npm', args, { cwd: own })
  await rename(own, cache).catch(() => rm(own, { recursive: true }))
}
