import { randomUUID } from 'node:crypto'
import { isUnanswered } from '../base/failures.ts'
import { serviceVersion } from '../base/service-version.ts'
import type { Role } from '../config.ts'
import type { Database, PreparedStatement } from './database.ts'

const heartbeatMs = 2000
/**
 * After this time without an answer, a heartbeat is given up, with its connection: the machine at the other end may be
 * gone, which TCP takes many minutes to find out.
 */
const heartbeatTimeoutMs = 10_000
/**
 * So many in a row. If commits wait for a standby, each leaves a connection behind on the server, and another one would
 * have no answer either. By then, the pool has no idle connection from before.
 */
const mostGivenUp = 3
/** A node without a heartbeat for this long is considered dead, and others may take what it holds. */
const deadAfterSeconds = 10
/** A node stops starting work a little before others may consider it dead. */
const mayWorkMs = (deadAfterSeconds - 3) * 1000

/** SQL for whether the node that the expression `holder` names is dead. */
export const isDeadSql = (holder: string) => `not exists (
  select 1 from nodes n where n.id = ${holder} and n.heartbeat_at > now() - interval '${deadAfterSeconds} seconds'
)`

/**
 * A heartbeat that was given up may be executed late, but never sets the time back: the clock is read when the row is locked.
 * Returns all live workers; a statement does not see the row that it writes itself. Nodes of a version that wrote no roles
 * are workers.
 */
const beatSql = `
with beat as (
  insert into nodes (id, roles, version, node_version, memory_bytes, executors)
  values ($1::uuid, string_to_array($2, ','), $3, $4, $5::bigint, $6::jsonb)
  on conflict (id) do update
    set heartbeat_at = clock_timestamp(), memory_bytes = excluded.memory_bytes, executors = excluded.executors
  returning id, roles
)
select id from (
  select id, roles from beat
  union
  select id, roles from nodes where heartbeat_at > now() - interval '${deadAfterSeconds} seconds'
) live
where coalesce('worker' = any(roles), true)`

/** The nodes with a recent heartbeat, the oldest first, as one JSON value of `NodeRow`s. */
export const nodesSql = `
select json_agg(json_build_object('id', id, 'roles', roles, 'version', version, 'nodeVersion', node_version,
  'startedMs', extract(epoch from started_at) * 1000, 'heartbeatMs', extract(epoch from heartbeat_at) * 1000,
  'isAlive', heartbeat_at > now() - interval '${deadAfterSeconds} seconds',
  'memoryBytes', memory_bytes, 'executors', executors) order by started_at, id)
from (select * from nodes order by heartbeat_at desc limit 100) n`

/** Executor processes that should run and those that are ready; runs in them, and runs that wait for one. */
export type ExecutorCounts = { executors: number; alive: number; running: number; queued: number }

/** Times are Unix ms. A field is `null` if a node of a version before that field wrote the row. */
export type NodeRow = {
  id: string
  roles: Role[] | null
  version: string | null
  nodeVersion: string | null
  startedMs: number
  heartbeatMs: number
  isAlive: boolean
  memoryBytes: number | null
  /** Also `null` without the role `worker`. */
  executors: ExecutorCounts | null
}

/** What a node says about itself with each heartbeat. */
export type NodeParts = { roles: Iterable<Role>; executors?: () => ExecutorCounts | undefined }

const buryDeadSql = `delete from nodes where heartbeat_at < now() - interval '1 hour'`

/**
 * This process, as one of the nodes on a database. It sends heartbeats to the others. Only nodes with the role `worker`
 * take objects, so only they count when one is assigned.
 */
export class Node {
  readonly id = randomUUID()
  #roles: string
  #executors: () => ExecutorCounts | undefined
  #beat: PreparedStatement
  #buryDead: PreparedStatement
  #leave: PreparedStatement
  #timer: NodeJS.Timeout | undefined
  /** On the monotonic clock, which Linux stops while the machine is suspended. */
  #lastBeatMs = Number.NEGATIVE_INFINITY
  /** On the clock of the machine, which somebody may set back or forward. */
  #lastBeatAt = Number.NEGATIVE_INFINITY
  /** A number for each worker that was alive at the last heartbeat. */
  #liveSeeds: number[] = []

  constructor(database: Database, { roles, executors = () => undefined }: NodeParts) {
    this.#roles = [...roles].join(',')
    this.#executors = executors
    this.#beat = database.prepare('beat', beatSql)
    this.#buryDead = database.prepare('bury_dead_nodes', buryDeadSql)
    this.#leave = database.prepare('leave', 'delete from nodes where id = $1::uuid')
  }

  /** @param onError called for each heartbeat that fails; the next one follows anyway */
  async start(onError: (error: unknown) => void): Promise<void> {
    await this.beat()
    await this.#buryDead([])
    let isBeating = false
    let givenUp = 0
    this.#timer = setInterval(async () => {
      // A database that does not answer would get one connection after the other.
      if (isBeating) return
      isBeating = true
      try {
        await this.beat(givenUp < mostGivenUp ? heartbeatTimeoutMs : undefined)
        givenUp = 0
      } catch (error) {
        if (isUnanswered(error)) givenUp += 1
        onError(error)
      }
      isBeating = false
    }, heartbeatMs)
    this.#timer.unref()
  }

  /** Whether no other node can consider this one dead yet, by both clocks. */
  mayWork(): boolean {
    const agesMs = [performance.now() - this.#lastBeatMs, Date.now() - this.#lastBeatAt]
    return Math.max(...agesMs) < mayWorkMs
  }

  /**
   * Sends a heartbeat at once. Other nodes keep what they have already taken.
   * @param timeoutMs See `PreparedStatement`.
   */
  async beat(timeoutMs?: number): Promise<void> {
    const startedMs = performance.now()
    const startedAt = Date.now()
    const executors = this.#executors()
    const values = [
      ...[this.id, this.#roles, serviceVersion, process.versions.node, process.memoryUsage.rss()],
      executors === undefined ? null : JSON.stringify(executors),
    ]
    const live = await this.#beat(values, undefined, timeoutMs)
    this.#liveSeeds = live.map(([id]) => seedOf(id!))
    this.#lastBeatMs = startedMs
    this.#lastBeatAt = startedAt
  }

  /**
   * Whether this node, of all that are alive, is the one to claim an object that nobody holds. All nodes give the same
   * answer, without asking each other, and each gets an equal share (rendezvous hashing). For a few seconds after a node
   * has joined or died, two nodes or none may consider themselves the one.
   */
  isFirstFor(objectId: number): boolean {
    const own = weigh(seedOf(this.id), objectId)
    return this.#liveSeeds.every((seed) => weigh(seed, objectId) <= own)
  }

  /** From now on, other nodes may take what this one still holds. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#leave([this.id])
  }
}

/** The first 32 bits of a random id. */
function seedOf(nodeId: string): number {
  return Number.parseInt(nodeId.slice(0, 8), 16)
}

/** Mixes two numbers into one that looks random: the finalizer of MurmurHash3. */
function weigh(seed: number, objectId: number): number {
  let hash = seed ^ Math.imul(objectId, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
