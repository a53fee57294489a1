import pg from 'pg'
import { GroupCommit } from '../../packages/server/src/db/group-commit.ts'
import { openServer, type Place } from '../database.ts'

/** A narrow table of texts, with many inserts in one statement. */
export type PayloadTable = {
  /** Resolves with the row's id when it is committed. */
  add(text: string): Promise<number>
  close(): Promise<void>
}

/** As many as the load generator has in flight. */
const rowsPerCommit = 64
const createSql = 'create table if not exists floor_payloads (id bigserial primary key, body text not null)'
const insertSql = 'insert into floor_payloads (body) select unnest($1::text[]) returning id'

/** Opens the table in the database of this environment: a place like that of the service. */
export async function openPayloadTable(environment: NodeJS.ProcessEnv): Promise<PayloadTable> {
  await using acquired = new AsyncDisposableStack()
  const server = acquired.use(await openServer(environment as Place))
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  acquired.defer(() => client.end())
  await client.query(createSql)
  const commit = async (texts: string[]) => {
    const { rows } = await client.query<{ id: string }>({ name: 'insert', text: insertSql, values: [texts] })
    return rows.map(({ id }) => Number(id))
  }
  const group = new GroupCommit({ commit, batchLimit: rowsPerCommit, isolateFailures: false })
  const kept = acquired.move()
  return { add: (text) => group.submit(text), close: () => kept.disposeAsync() }
}
