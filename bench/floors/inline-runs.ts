/**
 * Floor of a run: a POST whose body is stored, handed to the code at CODE_FILE within this very process, and
 * answered when the outcome is stored too. No authentication, no queue, and no sandbox: whatever is safe costs
 * more.
 */
import { readFile } from 'node:fs/promises'
import * as ta from 'trading-signals'
import { openPayloadTable } from './payload-table.ts'
import { payloadServer, serve } from './serve.ts'

type Guest = (dollar: object) => Promise<unknown>

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Guest
const guest = new AsyncFunction('$', await readFile(process.env.CODE_FILE!, 'utf8'))
const table = await openPayloadTable(process.env)
/** What each path has stored, as JSON text. */
const storage = new Map<string, string>()

serve(
  await payloadServer(async (body, path) => {
    const id = await table.add(body)
    await guest({
      Request: { data: body },
      Ta: ta,
      Storage: {
        get: async () => JSON.parse(storage.get(path) ?? 'null'),
        set: async (value: unknown) => storage.set(path, JSON.stringify(value)),
      },
    })
    await table.add(storage.get(path)!)
    return id
  }),
  () => table.close(),
)
