/** What the sources of live streams have in common. */

import { latestUsed } from '../base/latest-used.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import type { Belonging, Change, Stored } from '../live/changes.ts'
import type { Found, Listeners, Source } from '../live/source.ts'

/** Of how many strategies and webhooks a node remembers the owners. */
const ownersLimit = 100_000

export type Shown = [record: object, of: Belonging]

/** The ids of the records that each user wants to see. */
type Wanted = ReadonlyMap<number, readonly number[]>
/** A record as this user sees it. */
type Seen<Item> = { userId: number; item: Item }
export type Read<Item> = (wanted: Wanted) => Promise<Seen<Item>[]>

/** Reads the records of all users at once, because a statement for each of many users would cost more than the rest. */
export function together<Item extends { userId: number }>(
  read: (userIds: readonly number[], ids: readonly number[]) => Promise<Item[]>,
): Read<Item> {
  return async (wanted) => {
    const items = await read([...wanted.keys()], [...wanted.values()].flat())
    return items.map((item) => ({ userId: item.userId, item }))
  }
}

/** Reads the records of one user after the other, where each sees something else in the same record. */
export function eachAlone<Item>(
  read: (userId: number, ids: readonly number[]) => Promise<Item[]>,
): Read<Item> {
  return async (wanted) => {
    const seen: Seen<Item>[] = []
    for (const [userId, ids] of wanted) {
      for (const item of await read(userId, ids)) seen.push({ userId, item })
    }
    return seen
  }
}

/**
 * A source of records that their owners see.
 * @param usersOf the users who may see the record of each change
 * @param read those of the wanted records that their users may see: the last word about access
 */
export function ofUsers<Item extends { id: number }>(
  usersOf: (changes: Change[], listeners: Listeners) => number[][] | Promise<number[][]>,
  read: Read<Item>,
  show: (item: Item) => Shown,
): (changes: Change[], listeners: Listeners) => Promise<Found[][]> {
  return async (changes, listeners) => {
    const users = await usersOf(changes, listeners)
    const wanted = new Map<number, number[]>()
    for (const [index, { id }] of changes.entries()) {
      for (const userId of users[index]!) {
        if (!listeners.has(userId)) continue
        const ids = wanted.get(userId)
        if (ids === undefined) wanted.set(userId, [id])
        else ids.push(id)
      }
    }
    const found = new Map<number, Found[]>()
    for (const { userId, item } of wanted.size === 0 ? [] : await read(wanted)) {
      const [record, of] = show(item)
      const seen = { ...of, userId, record }
      found.set(item.id, [...(found.get(item.id) ?? []), seen])
    }
    return changes.map(({ id }) => found.get(id) ?? [])
  }
}

/**
 * A source that shows what this node has just stored without reading it, because reading what a busy node stores would
 * slow down its runs.
 * @param ownersOf the users who may see the record of each change
 * @param showStored how to show these to a user; `undefined` for what only the database can tell. What one of the users
 *   who may see it needs the database for is read for all of them
 * @param read reads the others
 */
export function storedOrRead<Kept extends Stored>(
  ownersOf: (changes: Change[]) => Promise<number[][]>,
  showStored: (kept: readonly Kept[]) => Promise<(userId: number, one: Kept) => Shown | undefined>,
  read: (changes: Change[], listeners: Listeners) => Promise<Found[][]>,
): Source {
  return async (changes, listeners, stored) => {
    const owners = await ownersOf(changes)
    const heard = owners.map((users) => users.filter((userId) => listeners.has(userId)))
    const kept = heard.map((users, index) =>
      users.length === 0 ? undefined : (stored[index] as Kept | undefined),
    )
    const show = await showStored(kept.filter((one) => one !== undefined))
    const found = kept.map((one, index): Found[] | undefined => {
      const users = heard[index]!
      if (users.length === 0) return []
      const shown = one && users.map((userId) => show(userId, one))
      if (!shown?.every((each) => each !== undefined)) return undefined
      return shown.map(([record, of], at) => ({ ...of, userId: users[at]!, record }))
    })
    const unknown = changes.filter((_, index) => found[index] === undefined)
    const others = unknown.length === 0 ? [] : await read(unknown, listeners)
    return found.map((each) => each ?? others.shift()!)
  }
}

/** The owners of strategies, webhooks or signals for bots. They never change, so each is read once. */
export class Owners {
  #read: PreparedStatement
  #known = latestUsed<number, number>(ownersLimit)

  /** @param table its rows have an `id` and a `user_id` */
  constructor(database: Database, table: 'strategies' | 'data_webhooks' | 'bot_webhooks' | 'bot_signals') {
    const owners = `select id, user_id from ${table} where id = any($1::bigint[])`
    this.#read = database.prepare(`owners_of_${table}`, owners)
  }

  /** The owner of each, or nobody if it is gone. */
  async of(ids: (number | undefined)[]): Promise<number[][]> {
    const unknown = new Set(ids.filter((id) => id !== undefined && !this.#known.has(id)))
    if (unknown.size > 0) {
      for (const [id, userId] of await this.#read([`{${[...unknown].join()}}`])) {
        this.#known.set(Number(id), Number(userId))
      }
    }
    return ids.map((id) => {
      const owner = id === undefined ? undefined : this.#known.get(id)
      return owner === undefined ? [] : [owner]
    })
  }
}
