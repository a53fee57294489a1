import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readCommand } from './command-line.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

test('help and version are answered without starting anything', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
  const ask = (argument: string) =>
    promisify(execFile)(process.execPath, [main, argument], { cwd: folder.path, env: {} })
  assert.match((await ask('--help')).stdout, /npm start[\s\S]*PORT=3001/)
  assert.match((await ask('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.deepEqual(await readdir(folder.path), [])
})

test('an unknown argument is refused with a way out', () => {
  const refused = {
    "Unknown option '--prot'": ['--prot=3001'],
    "Unknown command 'start'": ['start'],
    "Unexpected argument 'now'": ['admin-password', 'ada@example.com', 'now'],
    'The command admin-email needs the new address: npm run admin-email -- ada@example.com': ['admin-email'],
    "Unexpected argument 'me'": ['doctor', 'me'],
    'Only the command doctor takes --json': ['backup', 'a', '--json'],
    "Unexpected argument 'b'": ['backup', 'a', 'b'],
    'The command backup needs a file: npm run backup -- FILE': ['backup'],
    'The command restore needs a file: npm run restore -- FILE': ['restore', ''],
  }
  for (const [problem, args] of Object.entries(refused)) {
    assert.deepEqual(readCommand(args), {
      name: 'print',
      text: `${problem}. Try: npm start -- --help\n`,
      exitCode: 1,
    })
  }
  assert.deepEqual(readCommand([]), { name: 'start' })
})

test('the commands for administrators take an address, or none', () => {
  for (const name of ['admin-link', 'admin-key'] as const) {
    assert.deepEqual(readCommand([name]), { name, email: undefined })
    assert.deepEqual(readCommand([name, 'ada@example.com']), { name, email: 'ada@example.com' })
  }
})

test('the command for another address takes it, and maybe the former one', () => {
  const name = 'admin-email'
  assert.deepEqual(readCommand([name, 'b@x.y']), { name, newEmail: 'b@x.y', email: undefined })
  assert.deepEqual(readCommand([name, 'b@x.y', 'a@x.y']), { name, newEmail: 'b@x.y', email: 'a@x.y' })
})

test('the command for a new password takes an address, or none', () => {
  assert.deepEqual(readCommand(['admin-password']), { name: 'admin-password', email: undefined })
  assert.deepEqual(readCommand(['admin-password', 'ada@example.com']), {
    name: 'admin-password',
    email: 'ada@example.com',
  })
})

test('backup and restore take a file', () => {
  assert.deepEqual(readCommand(['backup', 'a.backup']), { name: 'backup', file: 'a.backup' })
  assert.deepEqual(readCommand(['restore', '/a.backup']), { name: 'restore', file: '/a.backup' })
})

test('the doctor takes no argument, and may answer in JSON', () => {
  assert.deepEqual(readCommand(['doctor']), { name: 'doctor', asJson: false })
  assert.deepEqual(readCommand(['doctor', '--json']), { name: 'doctor', asJson: true })
})
