import { randomUUID } from 'node:crypto'
import type { Database, PreparedStatement } from './database.ts'

const heartbeatMs = 2000
/** A node without a heartbeat for this long is considered dead, and others may take what it holds. */
const deadAfterSeconds = 10
/** A node stops starting work a little before others may consider it dead. */
const mayWorkMs = (deadAfterSeconds - 3) * 1000

/** SQL for whether the node that the expression `holder` names is dead. */
export const isDeadSql = (holder: string) => `not exists (
  select 1 from nodes n where n.id = ${holder} and n.heartbeat_at > now() - interval '${deadAfterSeconds} seconds'
)`

/** Returns all live nodes; a statement does not see the row that it writes itself. */
const beatSql = `
with beat as (
  insert into nodes (id) values ($1::uuid) on conflict (id) do update set heartbeat_at = now() returning id
)
select id from beat
union
select id from nodes where heartbeat_at > now() - interval '${deadAfterSeconds} seconds'`

const buryDeadSql = `delete from nodes where heartbeat_at < now() - interval '1 hour'`

/** This process, as one of the nodes on a database. It sends heartbeats to the others. */
export class Node {
  readonly id = randomUUID()
  #beat: PreparedStatement
  #buryDead: PreparedStatement
  #leave: PreparedStatement
  #timer: NodeJS.Timeout | undefined
  #lastBeatMs = Number.NEGATIVE_INFINITY
  /** A number for each node that was alive at the last heartbeat. */
  #liveSeeds: number[] = []

  constructor(database: Database) {
    this.#beat = database.prepare('beat', beatSql)
    this.#buryDead = database.prepare('bury_dead_nodes', buryDeadSql)
    this.#leave = database.prepare('leave', 'delete from nodes where id = $1::uuid')
  }

  /** @param onError called for each heartbeat that fails; the next one follows anyway */
  async start(onError: (error: unknown) => void): Promise<void> {
    await this.beat()
    await this.#buryDead([])
    let isBeating = false
    this.#timer = setInterval(async () => {
      // A database whose commits wait for a standby does not answer, and each heartbeat would take a connection.
      if (isBeating) return
      isBeating = true
      await this.beat().catch(onError)
      isBeating = false
    }, heartbeatMs)
    this.#timer.unref()
  }

  /** Whether no other node can consider this one dead yet. */
  mayWork(): boolean {
    return performance.now() - this.#lastBeatMs < mayWorkMs
  }

  /** Sends a heartbeat at once. Other nodes keep what they have already taken. */
  async beat(): Promise<void> {
    const startedMs = performance.now()
    const live = await this.#beat([this.id])
    this.#liveSeeds = live.map(([id]) => seedOf(id!))
    this.#lastBeatMs = startedMs
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
