import type { Build } from './files.ts'
import { fingerprint } from './fingerprint.ts'
import { readBuild, writeBuild } from './store.ts'

export type LoadOptions = {
  /** Where builds are kept. */
  folder?: URL
  /** Called when a build cannot be kept: it is then made again at the next start. */
  onUnkept?: (error: Error) => void
}

/** What the npm package of the server calls its build, which is of no sources. */
export const packedBuild = 'packed'

const defaultFolder = new URL('../dist/', import.meta.url)

/**
 * Reads the build of the present sources, or makes it, which takes a second or two, and keeps it for later starts.
 * @throws {Error} if the sources cannot be built
 */
export async function loadBuild({
  folder = defaultFolder,
  onUnkept = () => {},
}: LoadOptions = {}): Promise<Build> {
  const packed = await readBuild(folder, packedBuild)
  if (packed !== undefined) return packed
  const print = await fingerprint()
  const kept = await readBuild(folder, print)
  if (kept !== undefined) return kept
  // Loaded only now: most starts find a build.
  const [{ bundle }, { compress }] = await Promise.all([import('./bundle.ts'), import('./compress.ts')])
  const build = await compress(await bundle())
  await writeBuild(folder, print, build).catch((error: unknown) => onUnkept(error as Error))
  return build
}
