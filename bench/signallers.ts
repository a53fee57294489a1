import { randomBytes } from 'node:crypto'
import { type ApiClient, createApiClient } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { HttpConnection, httpRequest } from '../examples/http-connection.ts'
import { startServiceProcess } from '../examples/service-process.ts'
import { type ReactionOnWebhook, setUpReaction } from '../examples/set-up.ts'
import { type KeyPair, makeAccounts } from './accounts.ts'
import type { Backend } from './backend.ts'
import { withDatabase } from './database.ts'
import { candlePayload } from './payload.ts'
import { sign } from './sign.ts'
import { actingCode } from './typical-reaction.ts'

/** A reaction on a webhook of its own, and its owner's client. */
export type Signaller = ReactionOnWebhook & { client: ApiClient }

/** One of many accounts, whose reaction sends a signal in every run. */
export type OwnedSignaller = Signaller & { access: ApiAccess }

/** So 500 payloads a second are fewer than three per account. Five may act, and delayed runs come closer together. */
const accountCount = 192

/** A service with signallers. With `settings`, another one works on the same database. */
export type Signallers = AsyncDisposable & {
  signallers: OwnedSignaller[]
  access: ApiAccess
  settings: Record<string, string>
  pid: number
}

/** Starts a service with many accounts, each with a webhook and a reaction that sends a signal in every run. */
export async function startSignallers(backend: Backend): Promise<Signallers> {
  const masterKey = randomBytes(32)
  const settings = { ...(await backend.emptyDatabase()), MASTER_KEY: masterKey.toString('hex') }
  let accounts: KeyPair[] = []
  const service = await startServiceProcess({
    settings,
    prepare: (dataDir) =>
      withDatabase({ ...settings, DATA_DIR: dataDir }, async (database) => {
        accounts = await makeAccounts(accountCount, database, masterKey)
      }),
  })
  const signallers = await Promise.all(
    accounts.map(async (account): Promise<OwnedSignaller> => {
      const access = { baseUrl: service.access.baseUrl, ...account }
      const client = createApiClient(access)
      const reaction = await setUpReaction(client, { name: 'signaller', code: actingCode, sendSignal: true })
      return { ...reaction, client, access }
    }),
  )
  const { access, pid } = service
  return { signallers, access, settings, pid, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/**
 * From a POST until an answer of the API shows its signal, in ms, one signaller after the other, for a reader who
 * keeps asking. The figure is too high by at most the time of one answer, and the polling keeps the service busy.
 */
export async function timeUntilRead(signallers: readonly OwnedSignaller[]): Promise<number[]> {
  const connection = await HttpConnection.connect(signallers[0]!.access.baseUrl)
  try {
    const latenciesMs: number[] = []
    for (const signaller of signallers) latenciesMs.push(await timeOne(connection, signaller))
    return latenciesMs
  } finally {
    connection.close()
  }
}

async function timeOne(connection: HttpConnection, { url, access }: OwnedSignaller): Promise<number> {
  const path = '/api/v2/signal?page=1&limit=1'
  const newest = async (): Promise<number> => {
    const request = httpRequest('GET', new URL(path, access.baseUrl), sign(access, 'GET', path))
    const { body } = await connection.send(request)
    return JSON.parse(body.toString('utf8')).items[0]?.id ?? 0
  }
  const post = httpRequest('POST', new URL(url), { 'content-type': 'application/json' }, candlePayload(0))
  const before = await newest()
  const sentAt = performance.now()
  await connection.send(post)
  while ((await newest()) === before);
  return performance.now() - sentAt
}
