import { createApiClient } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { startServiceProcess } from '../examples/service-process.ts'
import type { KeyPair } from './accounts.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadPlan } from './load-plan.ts'
import { measureInTurns, type Subject } from './measure.ts'
import { againstFloor, type Row, type Section } from './report.ts'
import { sign } from './sign.ts'

const wholeList = '/api/v2/exchange'
const smallList = '/api/v2/exchange/with-exchange-rate'
const least = { ratio: 0.6 }

/** Signed GETs of the catalogue, compared with a server that checks the signature and answers a small object. */
export const catalogue: Benchmark = { name: 'catalogue', run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using service = await startServiceProcess({ settings: await backend.emptyDatabase() })
  const { access, pid } = service
  await using floor = await startFloor({ file: 'signed-get.ts', settings: { API_SECRET: access.apiSecret } })
  const client = createApiClient(access)
  const exchanges = (await client.exchanges.list()).length
  const few = (await client.exchanges.withExchangeRate()).length
  const etag = await etagOf(access)

  const get = (name: string, url: string, pids: number[], path: string, headers = {}): Subject => ({
    name,
    pids,
    plan: plan(url, path, access, headers),
  })
  const known = get(`GET all, ETag known`, access.baseUrl, [pid], wholeList, { 'if-none-match': etag })
  const [floorFigure, ...ours] = await measureInTurns(
    generator,
    [
      get('floor: Fastify, HMAC, small JSON', floor.url, [floor.pid], '/signed'),
      get(`GET all ${exchanges} exchanges`, access.baseUrl, [pid], wholeList),
      get(`GET ${few} exchanges`, access.baseUrl, [pid], smallList),
      { ...known, plan: { ...known.plan, status: 304 } },
    ],
    quick ? { rounds: 2, ms: 400 } : { rounds: 3, ms: 1200 },
  )
  const rows: Row[] = ours.map((figure) => againstFloor(figure, floorFigure!, least))
  return { bench: 'catalogue', title: 'signed GET, 64 connections', rows: [floorFigure!, ...rows] }
}

function plan(
  url: string,
  path: string,
  signWith: KeyPair,
  headers: Record<string, string>,
): Omit<LoadPlan, 'until'> {
  return {
    url,
    requests: [{ method: 'GET', path, headers, signWith }],
    connections: 64,
    perSecond: null,
    status: 200,
  }
}

async function etagOf(access: ApiAccess): Promise<string> {
  const headers = sign(access, 'GET', wholeList)
  const response = await fetch(access.baseUrl + wholeList, { headers })
  await response.arrayBuffer()
  return response.headers.get('etag')!
}
