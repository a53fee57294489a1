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
  const build = await made(print)
  await writeBuild(folder, print, build).catch((error: unknown) => onUnkept(error as Error))
  return build
}

/** The builds that this process is making, by the fingerprints of their sources. */
const making = new Map<string, Promise<Build>>()

/** Those who ask while a build is made get the same one. */
function made(print: string): Promise<Build> {
  const build = making.get(print) ?? make().finally(() => making.delete(print))
  making.set(print, build)
  return build
}

async function make(): Promise<Build> {
  // Loaded only now: most starts find a build.
  const [{ bundle }, { compress }] = await Promise.all([import('./bundle.ts'), import('./compress.ts')])
  return compress(await bundle())
}
