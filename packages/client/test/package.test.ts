/** The published tarball, installed into an empty project and into a page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../../../test/chromium.ts'
import { read, root } from '../../../test/repository.ts'
import { fileResources } from '../../server/test/databases.ts'
import { operations } from '../../server/test/hosted/operations.ts'
import { type OfferedService, offeredService } from '../../server/test/offered-service.ts'
import { expect } from '../../server/test/reaction.ts'
import { until } from '../../server/test/until.ts'
import { signUpBrowser } from '../../server/test/users.ts'
import { installedNodes, installTarball, type Project } from './tarball.ts'

let project: Project
/** The service that all files share, where this file has a user of its own. */
let service: OfferedService
let user: Awaited<ReturnType<typeof signUpBrowser>>
/** Where the service is, and a key of the user. */
let access: { baseUrl: string; apiKey: string; apiSecret: string }

before(async () => {
  project = fileResources.use(await installTarball())
  service = await offeredService()
  user = await signUpBrowser(service, 'of-a-page@package.example.com')
  const key = await expect(201, user.api('POST', '/api/v2/api/key', { name: 'tests', algorithm: 'HMAC' }))
  access = { baseUrl: service.url, apiKey: key.api_key, apiSecret: key.api_secret }
})

const program = (options: object) => `
  import { ApiError, createApiClient, eachOf } from '@tickwright/client'
  const client = createApiClient(${JSON.stringify(options)})
  const exchanges = await client.exchanges.list({ enabled: true })
  const made = await client.webhooks.data.create({ name: 'Größe' })
  const names = []
  for await (const { id, name } of eachOf(client.webhooks.data.list)) if (id === made.id) names.push(name)
  const refused = await client.webhooks.data.get(4_000_000).catch((error) => error)
  const gone = await client.webhooks.data.delete(made.id)
  console.log(JSON.stringify([exchanges.length > 100, names, refused instanceof ApiError, refused.code, gone]))`

const said = JSON.stringify([true, ['Größe'], true, 'resource_not_found', { message: 'Success' }])

test('each Node of this machine from 20 on runs it from node_modules', async () => {
  await project.write('program.mjs', program(access))
  const nodes = await installedNodes()
  for (const node of nodes) assert.equal(await project.run(node, 'program.mjs'), said, node)
})

test('the package has JavaScript with its types, a licence and a README, and nothing else', async () => {
  const unexpected = project.packed.filter(
    (path) => !/^(dist\/[\w-]+(\.js|\.d\.ts)|LICENSE|README\.md|package\.json)$/.test(path),
  )
  assert.deepEqual(unexpected, [])
  for (const path of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'README.md']) {
    assert.ok(project.packed.includes(path), path)
  }
  const manifest = JSON.parse(
    await readFile(join(project.folder, 'node_modules/@tickwright/client/package.json'), 'utf8'),
  )
  const { dependencies, scripts, private: isPrivate, version, license, sideEffects } = manifest
  assert.deepEqual(
    [dependencies, scripts, isPrivate, license, sideEffects],
    [undefined, undefined, undefined, 'MIT', false],
  )
  assert.equal(version, JSON.parse(await read('package.json')).version)
})

for (const moduleResolution of ['nodenext', 'bundler']) {
  test(`TypeScript finds its types with ${moduleResolution}, in strict mode and without other types`, async () => {
    await project.write(
      'program.mts',
      `import { type CodeStrategy, createApiClient, eachOf } from '@tickwright/client'
      const client = createApiClient({ baseUrl: 'https://service.example', apiKey: 'a', sign: async (payload) => payload })
      const [exchange] = await client.exchanges.list({ enabled: true })
      exchange?.id satisfies number | undefined
      const strategy: CodeStrategy = await client.strategies.code.create({ name: 'A', code: '' })
      await client.reactions.code.setStatus(strategy.id, { status: 'ACTIVE' })
      for await (const { action } of eachOf(client.signals.list)) action satisfies 'LONG' | 'SHORT' | 'EXIT'
      // @ts-expect-error there is no such field
      await client.strategies.code.create({ nam: 'A' })
      // @ts-expect-error there is no such method
      await client.strategies.code.remove(1)
      ${hostedCalls()}`,
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
    const flags = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--target',
      'es2022',
      '--lib',
      'es2022',
      '--types',
      '',
    ]
    const resolution = ['--module', module, '--moduleResolution', moduleResolution]
    const output = await project
      .run(process.execPath, compiler, ...flags, ...resolution, 'program.mts')
      .catch((error: { stdout: string }) => error.stdout)
    assert.equal(output, '')
  })
}

/** Calls of every operation of the hosted service's client, with the fields that it declares. */
function hostedCalls(): string {
  const values: Record<string, string> = { number: '1', string: "'1'", boolean: 'true' }
  const calls = operations.map(({ name, path, body }) => {
    const fields = Object.entries(body ?? {}).map(([field, type]) =>
      field === 'status' ? "status: 'ACTIVE'" : `${field}: ${values[type]}`,
    )
    const rest = body !== null && fields.length === 0 ? [] : [`{ ${fields.join(', ')} }`]
    return `await hosted.${name}(${[...path.matchAll(/\{\w+\}/g)]
      .map(() => "'1'")
      .concat(rest)
      .join(', ')})`
  })
  return `
      import { createApiClient as createHostedClient } from '@tickwright/client/hosted'
      const hosted = createHostedClient({ baseUrl: 'https://service.example', apiKey: 'a', apiSecret: 'b' })
      ${calls.join('\n')}
      ;(await hosted.strategies.code.getTotal()).total satisfies number
      ;(await hosted.webhooks.bot.listBotSignalCex(1)).data[0]?.mode satisfies 'paper' | 'live' | undefined
      ;(await hosted.bots.cex.create({ api_id: 1, mode: 'live' })).id satisfies number
      ;(await hosted.strategies.code.list()).length satisfies number
      ;(await hosted.webhooks.data.shares('1'))[0]?.user_id satisfies number | undefined
      for await (const { name } of eachOf(hosted.bots.cex.list)) name satisfies string
      // @ts-expect-error a page is no array
      ;(await hosted.strategies.code.list({ page: 1 })).length satisfies number
      ;(await hosted.strategies.code.public.list()) satisfies object
      ;(await hosted.request<{ total: number }>({ method: 'GET', path: '/strategy/code/total' })).total satisfies number
      // @ts-expect-error there is no such field
      await hosted.bots.cex.create({ api_key_id: 1 })
      // @ts-expect-error there is no such method
      await hosted.bots.cex.remove(1)`
}

test('a page of another origin uses it, under a policy that forbids everything else', async () => {
  await using page = await startPage({
    script: program(access),
    policy: `default-src 'none'; script-src 'self'; connect-src ${service.url}`,
  })
  const opened = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] })
  try {
    const tab = await opened.newPage()
    const lines: string[] = []
    // The browser logs the 404 that the program requests, as messages of another type.
    tab.on('console', (message) => message.type() === 'log' && lines.push(message.text()))
    tab.on('pageerror', (error) => lines.push(String(error)))
    await tab.goto(page.url)
    await until('the page to say something', async () => lines.length > 0)
    assert.deepEqual(lines, [said])
  } finally {
    await opened.close()
  }
})

test('a page of the service uses it with the session of its user', async () => {
  const [name, value] = user.cookie.split('=') as [string, string]
  const opened = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] })
  try {
    const place = await opened.newContext()
    const tab = await place.newPage()
    const installed = join(project.folder, 'node_modules/@tickwright/client/dist')
    // The service has no page with the client yet, so the browser gets its files from the package.
    await tab.route(`${service.url}/client/*`, (route) =>
      route.fulfill({
        path: join(installed, new URL(route.request().url()).pathname.slice('/client/'.length)),
      }),
    )
    await tab.goto(`${service.url}/health/live`)
    const work = `(async () => {
      const { createApiClient } = await import(location.origin + '/client/index.js')
      const client = createApiClient({ session: true })
      const me = await client.users.me().catch((error) => error.code)
      const made = await client.webhooks.data.create({ name: 'Of a page' }).catch((error) => error.code)
      if (typeof made === 'string') return [me, made]
      return [me.id, made.name, await client.webhooks.data.delete(made.id)]
    })()`
    assert.deepEqual(await tab.evaluate(work), ['auth_missing', 'auth_missing'])
    await place.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Lax' }])
    assert.deepEqual(await tab.evaluate(work), [user.user.id, 'Of a page', { message: 'Success' }])
    // The same client on a page of another origin sends no cookie.
    const elsewhere = work.replace('session: true', `session: true, baseUrl: '${service.url}'`)
    await using page = await startPage({
      script: 'export {}',
      policy: `default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src ${service.url}`,
    })
    await tab.goto(page.url)
    assert.deepEqual(await tab.evaluate(elsewhere), ['auth_missing', 'auth_missing'])
  } finally {
    await opened.close()
  }
})

/** Serves an empty page with a module that imports the installed client. */
async function startPage({ script, policy }: { script: string; policy: string }) {
  const installed = join(project.folder, 'node_modules/@tickwright/client/dist')
  const server = createServer(async ({ url = '' }, response) => {
    response.setHeader('content-security-policy', policy)
    if (url === '/') {
      return response
        .setHeader('content-type', 'text/html')
        .end('<script type="module" src="/page.js"></script>')
    }
    response.setHeader('content-type', 'text/javascript')
    const name = /^\/client\/([\w-]+\.js)$/.exec(url)?.[1]
    if (name !== undefined) return response.end(await readFile(join(installed, name)))
    return response.end(script.replace('@tickwright/client', './client/index.js'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    // WebCrypto needs a secure context.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
