/** Runs the commands of the README in an empty folder outside the repository. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { blocksOf } from '../../../test/documents.ts'
import { read, root } from '../../../test/repository.ts'
import { fileResources } from '../../server/test/databases.ts'

const execute = promisify(execFile)

const blocks = await blocksOf('packages/runtime-types/README.md')
const blockOf = (language: string) => blocks.find((block) => block.language === language)!.text

/** The folder of strategies that the README makes. */
let folder: string

before(async () => {
  const { path: home } = fileResources.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-editor-')))
  const checkout = join(home, 'tickwright')
  for (const name of ['packages/client', 'packages/runtime-types', 'scripts/client-package.ts']) {
    const filter = (source: string) => !source.endsWith('/node_modules')
    await cp(join(root, name), join(checkout, name), { recursive: true, filter })
  }
  for (const name of ['LICENSE', 'package.json']) await cp(join(root, name), join(checkout, name))
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  folder = join(home, 'strategies')
  await mkdir(folder)
  const run = (cwd: string, command: string) =>
    execute('sh', ['-ec', command], {
      cwd,
      env: { ...environment(), HOME: home, npm_config_offline: 'true' },
    })
  // The registry is out of reach: the library comes from here, and the compilers stay where they are.
  await run(
    join(root, 'node_modules/trading-signals'),
    `npm pack --ignore-scripts --pack-destination ${folder}`,
  )
  const commands = blockOf('sh')
  assert.match(commands, / typescript /)
  await run(checkout, commands.replace(' typescript ', ' ./trading-signals-*.tgz '))
  await writeFile(join(folder, 'jsconfig.json'), blockOf('json'))
  await writeFile(join(folder, 'right.js'), right)
  await writeFile(join(folder, 'wrong.js'), wrong)
})

const right = `
/** @type {import("@tickwright/runtime-types").ActionOption} */
const options = { size: 10 }
/** @type {$.Action} */
const action = $.Action.LONG
const client = $.Http.createApiClient({ apiKey: $.Env.KEY, apiSecret: $.Env.SECRET })
const [first] = await client.exchanges.list({ enabled: true })
const rsi = new $.Ta.RSI(14)
rsi.update($.Price.price)
$.log(first.hasExchangeRate, rsi.isStable, new Set([1]).union(new Set([2])).size)
await $.Strategy.action(action, options)
`
const wrong = `await $.Strategy.action('BUY')
fetch('https://example.com')
await $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' }).exchanges.list({ enabled: 'yes' })
await $.Http.post('https://api.example.com', new $.Ta.RSI(14))
`

const compilers: [version: string, place: string][] = [
  ['5.9', 'packages/runtime-types/node_modules/typescript'],
  ['7.0', 'node_modules/typescript'],
]

for (const [version, place] of compilers) {
  test(`in an empty folder, TypeScript ${version} knows $ and finds mistakes`, async () => {
    const manifest = JSON.parse(await read(join(place, 'package.json'))) as { version: string }
    assert.ok(manifest.version.startsWith(`${version}.`), manifest.version)
    const found = await compile(place, '-p', 'jsconfig.json')
    assert.deepEqual(found, [
      'wrong.js(1): TS2345',
      'wrong.js(2): TS2304',
      'wrong.js(3): TS2322',
      'wrong.js(4): TS2345',
    ])
  })
}

test('the line for a single strategy tells the compiler about $ without a jsconfig.json', async () => {
  await writeFile(join(folder, 'single.js'), `${blockOf('js')}console.log($.Price.price)\n$.Log('text')\n`)
  const options = ['--noEmit', '--allowJs', '--checkJs', '--skipLibCheck', '--ignoreConfig']
  const found = await compile(compilers[1]![1], ...options, '--module', 'esnext', 'single.js')
  assert.deepEqual(found, ['single.js(3): TS2551'])
})

/** What the compiler complains about: file, line and code of each. */
async function compile(place: string, ...options: string[]): Promise<string[]> {
  const compiler = [join(root, place, 'bin/tsc'), '--pretty', 'false', ...options]
  const { stdout } = await execute(process.execPath, compiler, { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  )
  return [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+)|^.+$/gm)]
    .filter(([line]) => !line.startsWith(' '))
    .map(([line, file, row, code]) => (file === undefined ? line : `${file}(${row}): ${code}`))
}

/** Without the variables that an npm which started this test passes to its scripts. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm|node)_/i.test(name)))
}

test('the packages hold what they need and nothing else', async () => {
  const installed = join(folder, 'node_modules/@tickwright/runtime-types')
  const { files } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { files: string[] }
  assert.deepEqual(files, ['*.d.ts', 'tsconfig.strategy.json'])
  await assert.rejects(readFile(join(installed, 'test/install.test.ts')), { code: 'ENOENT' })
})
