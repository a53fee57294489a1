import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../build/bundle.ts'
import { fingerprint } from '../build/fingerprint.ts'
import { type Build, loadBuild, pagePaths, writeBuild } from '../build/index.ts'
import { readBuild } from '../build/store.ts'

async function withFolder(fn: (folder: string, url: URL) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'))
  try {
    await fn(folder, pathToFileURL(`${folder}/`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// A build takes some seconds of processor time, so tests share the one that the test run has made, and this one.

test('a damaged build is made again, once for several at once, also where nothing can be written, and read by later starts', () =>
  withFolder(async (folder, url) => {
    const kept = await loadBuild()
    await writeFile(join(folder, 'f'.repeat(32)), '')
    const own = join(folder, await fingerprint())
    await mkdir(own)
    await writeFile(join(own, 'files.json'), '[{"path":')
    const file = join(folder, 'file')
    await writeFile(file, '')
    const reasons: Error[] = []
    const builds = await Promise.all([
      loadBuild({ folder: url }),
      loadBuild({ folder: url }),
      loadBuild({ folder: pathToFileURL(`${file}/`), onUnkept: (error) => reasons.push(error) }),
    ])
    for (const made of builds) {
      assert.deepEqual([...made.keys()], [...kept.keys()])
      assert.equal(made, builds[0], 'it is made once')
    }
    assert.ok(!isForDevelopers([...builds[0].values()].map(({ plain }) => plain)))
    assert.deepEqual(
      reasons.map(({ code }: NodeJS.ErrnoException) => code),
      ['ENOTDIR'],
      'the caller learns why it is not kept',
    )
    const left = (await readdir(folder)).filter((name) => name !== 'file')
    assert.deepEqual(left, [basename(own)], 'builds of other sources are deleted')

    const { mtimeMs } = await stat(own)
    const read = await loadBuild({ folder: url })
    assert.notEqual(read, builds[0])
    assert.deepEqual(read, kept)
    assert.equal((await stat(own)).mtimeMs, mtimeMs, 'it is not made again')
  }))

test('another user than the one that makes a build can read it, as far as the system lets files be read', () =>
  withFolder(async (folder, url) => {
    const print = 'a'.repeat(32)
    await writeBuild(url, print, new Map([['/', { type: 'text/plain', plain: Buffer.from('a page') }]]))
    const { mode } = await stat(join(folder, print))
    assert.equal(mode & 0o777, 0o777 & ~process.umask())
  }))

test('many that replace a damaged build at once leave one whole build, and nothing beside it', () =>
  withFolder(async (folder, url) => {
    const print = 'a'.repeat(32)
    const text = new TextEncoder().encode('a page')
    const build: Build = new Map(
      Array.from({ length: 30 }, (_, n) => [`/${n}`, { type: 'text/plain', plain: Buffer.from(text) }]),
    )
    await writeBuild(url, print, build)
    for (let round = 0; round < 20; round += 1) {
      await writeFile(join(folder, print, 'files.json'), '[{"path":')
      await Promise.all(Array.from({ length: 6 }, () => writeBuild(url, print, build)))
      assert.deepEqual(await readBuild(url, print), build)
      assert.deepEqual(await readdir(folder), [print])
    }
  }))

test('every page of the router is below a path that the service answers', async () => {
  const routes = await readFile(new URL('../src/routes.tsx', import.meta.url), 'utf8')
  // The gallery is for developers, whose builds the service does not serve.
  const paths = [...routes.matchAll(/\bpath: '([^']+)'/g)]
    .map(([, path]) => path!)
    .filter((path) => path !== '/gallery')
  assert.ok(paths.length > 2)
  const isServed = (path: string) =>
    path === '/' || pagePaths.some((own) => own !== '/' && (path === own || path.startsWith(`${own}/`)))
  assert.deepEqual(
    paths.filter((path) => !isServed(path)),
    [],
  )
})

test('a page asks at once for everything that it needs, and that is in few files', async () => {
  const files = await loadBuild()
  const text = (path: string) => files.get(path)!.plain.toString()
  for (const page of pagePaths) {
    const named = [...text(page).matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!)
    const imported = named.flatMap((path) =>
      [...text(path).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => `/assets/${name}`),
    )
    assert.deepEqual(
      imported.filter((path) => !named.includes(path)),
      [],
      page,
    )
    assert.ok(named.length <= 32, `${page} asks for ${named.length} files`)
  }
  // The entry needs itself and two files of what every page needs, of which one is also the overview's. The script that
  // runs before it needs itself and a file that both share.
  assert.equal(text('/').match(/\.js"/g)!.length, 5)
})

test('browsers are told to compile ahead what every page needs, and nothing else', async () => {
  const files = await loadBuild()
  const text = (path: string) => files.get(path)!.plain.toString()
  const needed = [...text('/').matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!)
  const told = [...files.keys()].filter((path) => text(path).startsWith('//# allFunctionsCalledOnLoad\n'))
  assert.deepEqual(told.sort(), needed.sort())
})

test('the gallery of all components is in builds for developers', async () => {
  const files = await bundle({ development: true })
  assert.ok(isForDevelopers([...files.values()].map(({ contents }) => contents)))
})

/** Whether these files contain the gallery. */
function isForDevelopers(files: readonly Uint8Array[]): boolean {
  return files.some((file) => Buffer.from(file).includes('ten thousand rows, the second one chosen'))
}
