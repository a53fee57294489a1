import { test } from 'node:test'
import { addUsers } from '../accounts.ts'
import type { Client, HmacKey } from '../client.ts'
import { createTestDatabase, fileResources, type TestDatabase } from '../databases.ts'
import { startService, type TestService } from '../service.ts'
import { type Model, type StandIn, says, startProvider } from './stand-in.ts'
import { type Protocol, protocols } from './wire-formats.ts'

export type Given = {
  /** An account that only this test uses. */
  account: Client
  other: Client
  /** The key of `account`, for another service on the same database. */
  key: HmacKey
  administrator: Client
  provider: StandIn
  /** One for each wire format. `provider` is one of them. */
  providers: Record<Protocol, StandIn>
  service: TestService
  /** The database of the service. */
  database: TestDatabase
  /** What the models say in this test; default: one word. */
  setModel(model: Model): void
}

type Stage = Omit<Given, 'account' | 'other' | 'key' | 'administrator'> & { keys: HmacKey[] }

let started: Promise<Stage> | undefined
let testCount = 0

/** Registers a test with a model provider. All tests of a file share one service. */
export function withProvider(name: string, fn: (given: Given) => Promise<void>): void {
  testCount++
  test(name, async () => {
    started ??= start()
    const { service, keys, ...others } = await started
    others.setModel(says())
    for (const provider of Object.values(others.providers)) provider.questions.length = 0
    const [key, otherKey] = keys.splice(-2) as [HmacKey, HmacKey]
    const [account, other] = [service.as(key), service.as(otherKey)]
    await fn({ ...others, service, account, other, key, administrator: service })
  })
}

async function start(): Promise<Stage> {
  let model: Model = says()
  const startOne = async (protocol: Protocol) =>
    [protocol, fileResources.use(await startProvider(protocol, (asked) => model(asked)))] as const
  const providers = Object.fromEntries(await Promise.all(protocols.map(startOne))) as Given['providers']
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: testCount * 2 }, (_, number) => `account-${number}@example.com`)
  const keys = await addUsers(database, emails)
  const hosts = Object.values(providers).map(({ host }) => host)
  const env = { HTTP_ALLOW: hosts.join(','), LOG_LEVEL: 'silent' }
  const service = fileResources.use(await startService({ database, env }))
  const setModel = (next: Model) => {
    model = next
  }
  return { service, keys, provider: providers.openai, providers, database, setModel }
}
