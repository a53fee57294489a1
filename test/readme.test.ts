/** Follows the README, and then the first trade in a terminal, from the first start on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProcess } from '../packages/server/test/process.ts'
import { until } from '../packages/server/test/until.ts'
import { type Block, blocksOf, isLike, likeness } from './documents.ts'
import { read } from './repository.ts'
import { missing, openShell } from './shell.ts'

const blocks = [...(await blocksOf('README.md')), ...(await blocksOf('docs/first-trade.md'))]
const next = (language: string): Block => {
  const index = blocks.findIndex((block) => block.language === language)
  assert.notEqual(index, -1, `there is no further ${language} block`)
  return blocks.splice(0, index + 1).at(-1)!
}

const asFirstStart = {
  TICKWRIGHT_ADMIN_EMAIL: '',
  TICKWRIGHT_ADMIN_PASSWORD: '',
  TICKWRIGHT_ADMIN_API_KEY: '',
  TICKWRIGHT_ADMIN_API_SECRET: '',
  TICKWRIGHT_EXAMPLE: '1',
}

test('the README and the first trade in a terminal lead from the first start to a trade', {
  skip: missing('sh', 'curl', 'openssl'),
}, async () => {
  const commands = next('sh').text
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  assert.match(commands, /^npm install && npm start /)
  assert.match(scripts.start!, / packages\/server\/src\/main\.ts$/)

  await using service = await startProcess({ env: asFirstStart })
  using shell = openShell()
  const welcome = next('text').text.replaceAll('http://127.0.0.1:3000', service.url)
  const hasWelcome = async () => service.output().includes('data-webhook/')
  await until('the welcome', hasWelcome)
  const shown = service.output().replaceAll(/^\{.*\}\n/gm, '')
  assert.ok(isLike(shown, welcome), shown)

  const [opening, closing] = shown.match(/curl -d .*/g)!
  const accepted = JSON.parse(next('json').text)
  assert.deepEqual(likeness(JSON.parse(await shell.run(opening!)), accepted), accepted)

  const lines = next('text').text.trim().split('\n')
  await until('the signal and its order in the log', async () => {
    const logged = service.output().split('\n')
    return lines.every((line) => logged.some((each) => isLike(each, line)))
  })

  const value = (name: string) => new RegExp(`${name} +(\\S+)`).exec(shown)![1]!
  const script = next('sh')
    .text.replace('api_key=...', `api_key='${value('API key')}'`)
    .replace('api_secret=...', `api_secret='${value('API secret')}'`)
    .replace('http://127.0.0.1:3000', service.url)
  const positions = JSON.parse(next('json').text)
  assert.deepEqual(likeness(JSON.parse(await shell.run(script)), positions), positions)

  await shell.run(closing!)
  await until('the position to be closed', async () => (await shell.run(script)).trim() === '[]')
  assert.match(service.output(), /"action":"EXIT"/)
})

test('every npm script that the documentation names exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const named = new Set<string>()
  for (const path of ['README.md', 'CONTRIBUTING.md', 'docs/examples.md', 'docs/operations.md']) {
    for (const match of (await read(path)).matchAll(/npm run ([\w:-]+)/g)) named.add(match[1]!)
  }
  assert.ok(named.size > 3)
  assert.deepEqual(
    [...named].filter((name) => !(name in scripts)),
    [],
  )
})
