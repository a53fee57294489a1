/**
 * The last step of the image's build stage: makes what the service would otherwise make at its first start, since the
 * image is read-only when it runs, and then deletes what only that needed.
 */
import { glob, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { filesToRemove, isNeverLoaded, type Lock, packagesToRemove } from './removable.ts'

const root = join(import.meta.dirname, '../..')
const fromRoot = (path: string) => join(root, path)

const { loadBuild } = await import('../../packages/dashboard/build/index.ts')
const { loadGuestCode } = await import('../../packages/sandbox/src/guest-code.ts')
const { keepBundledPackages } = await import('../../packages/server/src/start/bundled-packages.ts')

const fail = (error: Error) => {
  throw error
}
await loadBuild({ onUnkept: fail })
// The service gives code a client of its API. The doctor and backtests do not.
for (const client of [fromRoot('packages/client/src/sandbox.ts'), undefined]) await loadGuestCode(client)
await keepBundledPackages()

const lock = JSON.parse(await readFile(fromRoot('package-lock.json'), 'utf8')) as Lock
for (const path of [...packagesToRemove(lock), ...(await filesToRemove(root))]) {
  await rm(fromRoot(path), { recursive: true, force: true })
}
for await (const path of glob(['node_modules/**', 'packages/*/node_modules/**'], { cwd: root })) {
  if (isNeverLoaded(path)) await rm(fromRoot(path), { force: true })
}
