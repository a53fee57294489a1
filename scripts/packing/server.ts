import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadBuild, packedBuild, writeBuild } from '../../packages/dashboard/build/index.ts'
import { loadGuestCode } from '../../packages/sandbox/src/guest-code.ts'
import { packedGuestCode } from '../../packages/sandbox/src/kept-code.ts'
import { bundlePackages } from '../../packages/server/src/start/bundled-packages.ts'
import { noticesOf, refuseLicences, shippedPackages } from '../release/licences.ts'
import { writeExchanges } from './exchanges.ts'
import { root, writeJavaScript } from './javascript.ts'
import { type Manifest, manifestOf, writeManifest } from './manifest.ts'

/** Dependencies that the package contains, or that only build what it contains. */
const contained = ['@tickwright/dashboard', '@tickwright/sandbox', 'ccxt', 'esbuild']

/**
 * Writes the package of the server, with the sandbox and the dashboard inside. Its folders are those of this repository,
 * because modules find files by their place. What a clone makes at its first start is made here.
 */
export async function writeServer(to: string): Promise<void> {
  const packages = join(to, 'packages')
  await writeSources(packages)
  await writeBuilds(packages)
  await cp(join(root, 'docs'), join(to, 'docs'), { recursive: true, filter: isPage })
  // The licences of what is inside ask for this.
  const shipped = await shippedPackages(root)
  refuseLicences(shipped)
  await writeFile(join(to, 'THIRD-PARTY-NOTICES.md'), noticesOf(shipped))
  const manifest = await serverManifest()
  await writeManifest(to, 'packages/server', manifest)
  // The service reads its version here, and Node the kind of these modules.
  const { name, version, type } = manifest
  await writeFile(join(packages, 'server/package.json'), JSON.stringify({ name, version, type }))
}

/** The manifest of the package: what the sandbox needs, the server needs too. */
export async function serverManifest(): Promise<Manifest> {
  const { dependencies: own, ...server } = await manifestOf('packages/server')
  const { dependencies: ofSandbox } = await manifestOf('packages/sandbox')
  const needed = Object.entries({ ...ofSandbox, ...own }).filter(([name]) => !contained.includes(name))
  return {
    ...server,
    dependencies: Object.fromEntries(needed.sort(([one], [other]) => (one < other ? -1 : 1))),
    // isolated-vm has binaries for these. `test/older-node.ts` has the oldest one that is tried.
    engines: { node: '^24.9.0 || ^26.0.0' },
    exports: { '.': './packages/server/src/service.js', './package.json': './package.json' },
    files: ['docs', 'packages', 'THIRD-PARTY-NOTICES.md'],
  }
}

async function writeSources(to: string): Promise<void> {
  const from = (path: string) => join(root, 'packages', path)
  await writeJavaScript(from('server/src'), join(to, 'server/src'), {
    left: ['**/*.vectors.json', 'backtests/report/definitions/*.json'],
    own: {
      '@tickwright/sandbox': join(to, 'sandbox/src/index.js'),
      '@tickwright/dashboard': join(to, 'dashboard/build/index.js'),
    },
  })
  await writeJavaScript(from('sandbox/src'), join(to, 'sandbox/src'))
  await writeJavaScript(from('dashboard/build'), join(to, 'dashboard/build'))
}

async function writeBuilds(to: string): Promise<void> {
  await writeBuild(pathToFileURL(join(to, 'dashboard/dist/')), packedBuild, await loadBuild())
  // The service gives code a client of its API. The doctor does not.
  for (const client of [join(root, 'packages/client/src/sandbox.ts'), undefined]) {
    const code = JSON.stringify(await loadGuestCode(client))
    await writeFile(join(to, 'sandbox/src', packedGuestCode(client)), code)
  }
  await bundlePackages(join(to, 'server/dist/packed'))
  await writeExchanges(join(to, 'server/dist/ccxt'))
}

/** Whether the tools for agents read a file of the documentation. Folders have no ending. */
const isPage = (path: string) => /docs$|\.md$/.test(path)
