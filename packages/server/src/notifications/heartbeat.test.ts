import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRemote } from '../../test/remote.ts'
import { until } from '../../test/until.ts'
import { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import { Heartbeat } from './heartbeat.ts'

test('a heartbeat calls while the service is ready, and reports a failure once', async () => {
  let status = 200
  await using remote = await startRemote((_asked, response) => response.writeHead(status).end())
  const http = new OutgoingHttp({ publicUrl: 'http://example.com', allow: [remote.host] })
  const errors: string[] = []
  let isReady = true
  let asked = 0
  const heartbeat = new Heartbeat({
    ...{ url: new URL(`${remote.url}/ping/secret`), http, everyMs: 5 },
    isReady: async () => {
      asked++
      return isReady
    },
    onError: (error) => errors.push((error as Error).message),
  })
  heartbeat.start()
  await until('two calls', async () => remote.asked.length >= 2)
  assert.deepEqual([remote.asked[0]!.method, remote.asked[0]!.url], ['GET', '/ping/secret'])

  isReady = false
  const before = asked
  await until('two looks', async () => asked >= before + 3)
  const quiet = remote.asked.length
  await until('two more', async () => asked >= before + 6)
  assert.equal(remote.asked.length, quiet)

  status = 500
  isReady = true
  await until('three failures', async () => remote.asked.length >= quiet + 3)
  assert.deepEqual(errors, ['It answered 500.'])
  await heartbeat.stop()
  http.close()
})
