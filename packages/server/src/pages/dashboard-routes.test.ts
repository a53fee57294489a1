import assert from 'node:assert/strict'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { firstLoadBytes, lazyLimits, lazyLoadBytes, loadBuild, pagePaths } from '@tickwright/dashboard'
import type { TestService } from '../../test/service.ts'
import { withService } from '../../test/with-service.ts'

/** The most bytes of scripts and styles that a first page may load, as they are sent with gzip. */
const firstLoadLimit = 180 * 1024

/** `fetch` decompresses by itself, so it cannot show what was sent. */
function get(service: TestService, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(new URL(path, service.url), { method, headers }, (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
          reject,
        )
      })
        .on('error', reject)
        .end()
    },
  )
}

const assetsIn = (page: Buffer) =>
  [...page.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

/** The documents of pages differ only in what they ask for early. */
const withoutPreloads = (page: Buffer) =>
  page.toString().replaceAll(/\s*<link rel="modulepreload"[^>]*>/g, '')

withService(
  'every path of the dashboard answers with its document, under a strict policy',
  async (service) => {
    const root = await get(service, '/')
    for (const path of [...pagePaths, '/runs/12', '/runs/12?tab=log', '/overview/x/y']) {
      const { status, headers, body } = await get(service, path)
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path)
      assert.equal(withoutPreloads(body), withoutPreloads(root.body), path)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^default-src 'none';script-src 'self';style-src 'self'/)
      assert.match(policy, /worker-src 'self'/)
      assert.match(policy, /require-trusted-types-for 'script';trusted-types tickwright-types;/)
      assert.doesNotMatch(policy, /unsafe|data:|blob:|https?:|\*/)
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['set-cookie'], undefined)
    }
    const below = await get(service, '/runs/12')
    assert.deepEqual(below.body, root.body, 'only a page itself asks early for what it alone needs')
    assert.doesNotMatch(
      root.body.toString(),
      /<script>|<style|\sstyle=|\son\w+=|\/\/[a-z]/,
      'nothing inline or from elsewhere',
    )
    const head = await get(service, '/runs', {}, 'HEAD')
    assert.deepEqual([head.status, head.body.length], [200, 0])
    const again = await get(service, '/', { 'if-none-match': String(root.headers.etag) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
  },
)

withService('only a browser with a session is told to ask early who is signed in', async (service) => {
  const known = await get(service, '/overview', { cookie: 'tickwright_session=1' })
  assert.equal(known.headers.link, '</api/v2/user/me>; rel=preload; as=fetch; crossorigin')
  assert.equal((await get(service, '/sign-in')).headers.link, undefined)
  const again = { cookie: 'tickwright_session=1', 'if-none-match': String(known.headers.etag) }
  assert.equal((await get(service, '/overview', again)).headers.link, known.headers.link)
})

withService('the files of the dashboard are sent compressed, and are kept for ever', async (service) => {
  const { body } = await get(service, '/')
  const assets = assetsIn(body)
  assert.ok(assets.length >= 4)
  for (const path of assets) {
    const plain = await get(service, path)
    assert.equal(plain.status, 200, path)
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(plain.headers['content-encoding'], undefined)
    const gzip = await get(service, path, { 'accept-encoding': 'gzip;q=0.8, br;q=0' })
    if (gzip.headers['content-encoding'] === 'gzip') assert.deepEqual(gunzipSync(gzip.body), plain.body)
    else assert.ok(plain.body.length < 1000, `${path} is not compressed`)
    const br = await get(service, path, { 'accept-encoding': 'gzip, deflate, br' })
    if (br.headers['content-encoding'] === 'br') assert.deepEqual(brotliDecompressSync(br.body), plain.body)
    else assert.ok(plain.body.length < 1000, `${path} is not compressed`)
  }
})

withService('what is no file of the dashboard is not there', async (service) => {
  for (const path of ['/assets/', '/assets/main.js', '/assets/..%2f..%2fpackage.json', '/assets/%00', '/run'])
    assert.equal((await service.send('GET', path)).status, 404, path)
  for (const method of ['POST', 'PUT', 'DELETE'])
    assert.equal((await service.send(method, '/runs')).status, 404, method)
  const { body } = await service.send('GET', '/api/v2/openapi.json')
  for (const path of pagePaths) assert.equal(body.paths[path], undefined)
})

withService(
  'a person who opens an unknown address gets a page that says so, a program gets JSON',
  async (service) => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const root = await get(service, '/')
    for (const path of ['/positions', '/nonsense/1?q=%3Cb%3E', '/run', '/webhook/x', `/${'x'.repeat(500)}`]) {
      const page = await get(service, path, { accept })
      assert.deepEqual([page.status, page.headers['cache-control']], [404, 'no-store'], path)
      assert.deepEqual(page.body, root.body)
      assert.match(String(page.headers['content-security-policy']), /^default-src 'none';script-src 'self'/)
      assert.equal((await get(service, path, { accept }, 'HEAD')).status, 404, path)
    }
    const programs: [path: string, accept: string][] = [
      ['/positions', '*/*'],
      ['/positions', 'application/json'],
      ['/api/v2/nonsense', accept],
      ['/api/', accept],
    ]
    for (const [path, type] of programs) {
      const { status, body } = await get(service, path, { accept: type })
      assert.deepEqual(
        [status, JSON.parse(body.toString()).code],
        [404, 'route_not_found'],
        `${path} ${type}`,
      )
    }
    assert.equal((await get(service, '/nonsense', { accept }, 'POST')).status, 404)
  },
)

withService('a first page loads at most 180 KB of scripts and styles', async () => {
  const bytes = firstLoadBytes(await loadBuild())
  assert.ok(bytes <= firstLoadLimit, `${bytes} bytes`)
})

withService('the large parts of the dashboard load only where they are needed, and stay small', async () => {
  const build = await loadBuild()
  const sizes = Object.keys(lazyLimits).map((name) => [name, lazyLoadBytes(build, name)] as const)
  // The charts may be in a file of another name.
  assert.ok(sizes.filter(([, bytes]) => bytes !== undefined).length >= 3)
  for (const [name, bytes = 0] of sizes) assert.ok(bytes <= lazyLimits[name]!, `${name}: ${bytes} bytes`)
})
