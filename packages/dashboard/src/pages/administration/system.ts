/** What the report of the system means. It must never let something look alive that is not. */

import { formatDuration, type Moment, toMs } from '../../base/times.ts'

/** How often the report is read. */
export const reportIntervalMs = 5000
/** After this long without a report, what is shown counts as old. */
const oldAfterMs = 3 * reportIntervalMs

/** Whether a report is too old to be taken for the present. */
export function isOld(readAtMs: number, now: number): boolean {
  return now - readAtMs > oldAfterMs
}

type NodeLike = { alive: boolean; is_this: boolean; heartbeat_at: Moment; version: string | null }

/**
 * How long ago a node was last heard of when the report was made, by the clock of the database: the clock of a browser
 * may be wrong. The node that answered is alive at that moment, and its own heartbeat is at most two seconds older.
 */
export function silenceMs(node: NodeLike, nodes: readonly NodeLike[]): number {
  const latest = Math.max(...nodes.map(({ heartbeat_at }) => toMs(heartbeat_at)))
  return Math.max(0, latest - toMs(node.heartbeat_at))
}

/** A silence in whole seconds, which is as exact as heartbeats are. */
export function silenceText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds === 0 ? 'now' : `${formatDuration(seconds * 1000)} ago`
}

/** The versions of the nodes that are alive, if they differ; otherwise none. */
export function mixedVersions(nodes: readonly NodeLike[]): string[] {
  const versions = new Set(nodes.filter(({ alive }) => alive).map(({ version }) => version ?? 'older'))
  return versions.size > 1 ? [...versions].sort() : []
}

/** The roles that no node has that is alive: what they do does not happen. */
export function missingRoles(
  nodes: readonly { alive: boolean; roles: readonly string[] | null }[],
): string[] {
  // A node of an older version does not say its roles, so it may have any of them.
  if (nodes.some(({ alive, roles }) => alive && roles === null)) return []
  const present = new Set(nodes.filter(({ alive }) => alive).flatMap(({ roles }) => roles ?? []))
  return ['api', 'worker', 'scheduler', 'market'].filter((role) => !present.has(role))
}
