/** Enforces the direction of imports that `docs/architecture.md` describes. */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { allImports, findCircle, type Import } from './imports.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

/** The other packages that each package may import. */
const packages: Record<string, readonly string[]> = {
  sandbox: [],
  client: [],
  'runtime-types': ['client'],
  server: ['sandbox', 'client', 'dashboard'],
  dashboard: ['client'],
  cli: ['client'],
}

/** The table of `docs/architecture.md`: the floor of each folder and loose file of the server. */
const floors = new Map(
  rowsOf(await read('docs/architecture.md'), 'floor').map(([floor, room]) => [room!, Number(floor)]),
)

const imports = await allImports()
const isTest = (file: string) => file.endsWith('.test.ts') || /^packages\/[^/]+\/test\//.test(file)
const product = imports.filter(({ file }) => file.startsWith('packages/') && !isTest(file))

const server = 'packages/server/src/'
const inServer = product.filter(({ file }) => file.startsWith(server))
const isIn = (folder: string) => (file: string | undefined) =>
  file?.startsWith(`${server}${folder}/`) ?? false
const isComposition = (file: string) =>
  file === `${server}service.ts` || file === `${server}main.ts` || isIn('composition')(file)
const isRoutes = (file: string) => file.startsWith(server) && /(\/|-)routes\.ts$/.test(file)
const isService = (file: string) =>
  file.slice(server.length).includes('/') &&
  !isIn('http')(file) &&
  !isIn('db')(file) &&
  !isRoutes(file) &&
  !isComposition(file)

test('the rules below see the imports that they are about', () => {
  assert.ok(imports.length > 100)
  assert.ok(inServer.some(({ specifier }) => specifier === 'fastify'))
  assert.ok(imports.some(({ file, target }) => file.startsWith(server) && isIn('db')(target)))
})

test('a package imports only the packages that it may, and by name', () => {
  holds(product, ({ file, specifier, target }) => {
    const own = file.split('/')[1]!
    const allowed = packages[own]
    assert.ok(allowed, `packages/${own} has no rule`)
    if (target !== undefined) return target.startsWith(`packages/${own}/`)
    const other = /^@tickwright\/([^/]+)/.exec(specifier)?.[1]
    return other === undefined || allowed.includes(other)
  })
})

test('no shipped file imports tests or their helpers', () => {
  holds(product, ({ target }) => target === undefined || !isTest(target))
})

test('a file imports from the floors below its own, or from its own folder', () => {
  assert.ok(floors.size > 20)
  const roomOf = (file: string) => file.slice(server.length).split('/')[0]!
  const rooms = new Set(inServer.map(({ file }) => roomOf(file)))
  assert.deepEqual([...floors.keys()].sort(), [...rooms].sort(), 'the table has exactly the existing folders')
  holds(inServer, ({ file, target }) => {
    if (target === undefined) return true
    const [from, to] = [roomOf(file), roomOf(target)]
    return from === to || floors.get(to)! < floors.get(from)!
  })
})

test('a file of the dashboard imports from the steps below its own, or from its own folder', async () => {
  const steps = new Map(
    rowsOf(await read('docs/architecture.md'), 'step').map(([step, room]) => [room!, Number(step)]),
  )
  const root = 'packages/dashboard/src/'
  const roomOf = (file: string) => file.slice(root.length).split('/')[0]!
  const inDashboard = product.filter(({ file }) => file.startsWith(root))
  const rooms = new Set(inDashboard.flatMap(({ file, target }) => [file, target ?? file]).map(roomOf))
  assert.deepEqual([...steps.keys()].sort(), [...rooms].sort(), 'the table has exactly the existing folders')
  holds(inDashboard, ({ file, target }) => {
    if (target === undefined || !/\.tsx?$/.test(target)) return true
    const [from, to] = [roomOf(file), roomOf(target)]
    return from === to || steps.get(to)! < steps.get(from)!
  })
})

test('there is no cycle of imports', () => {
  assert.equal(findCircle(imports)?.join(' → '), undefined)
})

test('only the composition imports routes, and routes that share a skeleton in their folder', () => {
  holds(inServer, ({ file, target }) => {
    if (target === undefined || !isRoutes(target) || isComposition(file)) return true
    return isRoutes(file) && posix.dirname(file) === posix.dirname(target)
  })
})

test('only http/, routes and the composition import Fastify', () => {
  holds(
    inServer,
    ({ file, specifier }) =>
      !/^@?fastify(\/|$)/.test(specifier) || isIn('http')(file) || isRoutes(file) || isComposition(file),
  )
})

test('services import nothing from http/', () => {
  holds(inServer, ({ file, target }) => !isService(file) || !isIn('http')(target))
})

test('routes do not import database libraries', () => {
  holds(
    inServer,
    ({ file, specifier }) => !isRoutes(file) || !/^(drizzle-orm|pg|@electric-sql)(\/|$)/.test(specifier),
  )
})

test('only db/ imports database drivers', () => {
  holds(inServer, ({ file, specifier }) => !/^pg(-copy-streams)?(\/|$)/.test(specifier) || isIn('db')(file))
})

test('a package declares its imports: those of shipped files as dependencies, those of tests there or at the root', async () => {
  const shared = (JSON.parse(await read('package.json')) as Manifest).devDependencies
  const manifests: Record<string, Manifest> = {}
  for (const name of Object.keys(packages)) {
    manifests[name] = JSON.parse(await read(`packages/${name}/package.json`).catch(() => '{}'))
  }
  const inPackages = imports.filter(({ file }) => file.startsWith('packages/'))
  holds(inPackages, ({ file, specifier, target }) => {
    if (target !== undefined || specifier.startsWith('node:')) return true
    const [, own = '', folder] = file.split('/')
    const { dependencies, devDependencies } = manifests[own]!
    const ships = folder === 'src' && !isTest(file)
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]
    return name in { ...dependencies, ...(ships ? {} : { ...devDependencies, ...shared }) }
  })
})

type Manifest = { dependencies?: Record<string, string>; devDependencies?: Record<string, string> }

/** Fails with every import that breaks the rule. */
function holds(of: readonly Import[], rule: (item: Import) => boolean): void {
  const broken = of.filter((item) => !rule(item)).map(({ file, specifier }) => `${file} imports ${specifier}`)
  assert.deepEqual(broken, [])
}
