/**
 * Floor of ingestion: a POST whose body is in the database when it is answered. No authentication, one narrow
 * table, nothing queued. What arrives while a commit is under way goes out together in the next.
 */
import { openPayloadTable } from './payload-table.ts'
import { payloadServer, serve } from './serve.ts'

const table = await openPayloadTable(process.env)

serve(await payloadServer((body) => table.add(body)), () => table.close())
