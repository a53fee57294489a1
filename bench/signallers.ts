import { randomBytes } from 'node:crypto'
import { type Api, type ApiAccess, createApi, signedHeaders } from '../examples/api.ts'
import { HttpConnection, httpRequest } from '../examples/http-connection.ts'
import { startServiceProcess } from '../examples/service-process.ts'
import { type ReactionOnWebhook, setUpReaction } from '../examples/set-up.ts'
import { type KeyPair, makeAccounts } from './accounts.ts'
import type { Backend } from './backends.ts'
import { candlePayload } from './payload.ts'
import { actingCode } from './typical-reaction.ts'

/** A reaction on a webhook of its own, and its owner's way to the API. */
export type Signaller = ReactionOnWebhook & { api: Api }

/** One of many whose reaction sends a signal at every run. */
export type OwnedSignaller = Signaller & { access: ApiAccess }

/** With so many, 500 payloads a second are fewer than three for each account; five may act, and runs that had to wait come closer together. */
const accountCount = 192

/** Starts a service with many accounts, each with a webhook and a reaction on it that signals at every run. */
export async function startSignallers(
  backend: Backend,
): Promise<AsyncDisposable & { signallers: OwnedSignaller[]; access: ApiAccess }> {
  const database = await backend.emptyDatabase()
  const masterKey = randomBytes(32)
  let accounts: KeyPair[] = []
  const service = await startServiceProcess({
    settings: { ...database, MASTER_KEY: masterKey.toString('hex') },
    prepare: async (dataDir) => {
      accounts = await makeAccounts(accountCount, { dataDir, databaseUrl: database.DATABASE_URL, masterKey })
    },
  })
  const signallers = await Promise.all(
    accounts.map(async (account): Promise<OwnedSignaller> => {
      const access = { url: service.access.url, ...account }
      const api = createApi(access)
      const reaction = await setUpReaction(api, { name: 'signaller', code: actingCode, sendSignal: true })
      return { ...reaction, api, access }
    }),
  )
  return { signallers, access: service.access, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/**
 * From a POST until its signal is in an answer of the API, in ms, one signaller after the other: what somebody
 * sees who keeps asking. Too much by the time of one answer at the most, and it keeps the service busy.
 */
export async function timeUntilRead(signallers: readonly OwnedSignaller[]): Promise<number[]> {
  const connection = await HttpConnection.connect(signallers[0]!.access.url)
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
    const request = httpRequest('GET', new URL(path, access.url), signedHeaders(access, 'GET', path))
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
