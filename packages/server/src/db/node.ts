import { randomUUID } from 'node:crypto'
import type { Database, PreparedStatement } from './database.ts'

const heartbeatMs = 2000
/** A node that has not been heard of for this long is dead, and what it held may be taken. */
const deadAfterSeconds = 10
/** A node stops starting work a while before others may count it as dead. */
const mayWorkMs = (deadAfterSeconds - 3) * 1000

/** Whether the node that the SQL expression `holder` names is not alive. */
export const isDeadSql = (holder: string) => `not exists (
  select 1 from nodes n where n.id = ${holder} and n.heartbeat_at > now() - interval '${deadAfterSeconds} seconds'
)`

const beatSql = `
insert into nodes (id) values ($1::uuid) on conflict (id) do update set heartbeat_at = now()`

const buryDeadSql = `delete from nodes where heartbeat_at < now() - interval '1 hour'`

/** This process among those that work on one database: it tells the others that it lives. */
export class Node {
  readonly id = randomUUID()
  #beat: PreparedStatement
  #buryDead: PreparedStatement
  #leave: PreparedStatement
  #timer: NodeJS.Timeout | undefined
  #lastBeatMs = Number.NEGATIVE_INFINITY

  constructor(database: Database) {
    this.#beat = database.prepare('beat', beatSql)
    this.#buryDead = database.prepare('bury_dead_nodes', buryDeadSql)
    this.#leave = database.prepare('leave', 'delete from nodes where id = $1::uuid')
  }

  /** @param onError told of each heartbeat that failed; the next one is tried all the same */
  async start(onError: (error: unknown) => void): Promise<void> {
    await this.beat()
    await this.#buryDead([])
    this.#timer = setInterval(() => this.beat().catch(onError), heartbeatMs)
    this.#timer.unref()
  }

  /** Whether this node is sure to be alive in the eyes of the others. */
  mayWork(): boolean {
    return performance.now() - this.#lastBeatMs < mayWorkMs
  }

  /** Tells the others at once that it lives. What they took before that they keep. */
  async beat(): Promise<void> {
    const startedMs = performance.now()
    await this.#beat([this.id])
    this.#lastBeatMs = startedMs
  }

  /** What it still holds may be taken from now on. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#leave([this.id])
  }
}
