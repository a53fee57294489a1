import { createHash } from 'node:crypto'
import type { TObject } from 'typebox'
import type { Window } from '../base/window.ts'
import type { Db } from '../db/database.ts'
import type { DeployKind } from '../db/schema.ts'
import type { Save } from '../strategies/saves.ts'
import type { References } from './references.ts'

/** Settings under their names in the API. */
export type Settings = Record<string, unknown>

/** An object as it is on the service. */
export type Found = {
  id: number
  name: string
  isActive: boolean
  /** Changes with each change of the settings that files have. */
  revision: string
  /** Without folder, status and everything secret. In lists also without code or prompt. */
  settings: Settings
}

/** A save whose checks have passed, as far as they need no transaction. */
export type Prepared = {
  /**
   * Saves as a part of a transaction.
   * @param settings the settings, with ids in the place of references
   * @returns the id; `tell` is for after the commit
   */
  write(tx: Db, settings: Settings): Promise<{ id: number; tell?: () => Promise<void> | void }>
}

/** How objects of one kind are read and saved: as the routes of this kind do it. */
export type Deployable = {
  kind: DeployKind
  one: string
  /** The fields that have ids of other objects, and the kinds of those. */
  references: References
  /** The field with the text that has a file of its own. */
  text?: 'code' | 'prompt'
  /** The settings that a file may have; every one is optional. */
  schema: TObject
  /** In order of id. */
  list(userId: number, window: Window): Promise<Found[]>
  count(userId: number): Promise<number>
  /** Those of these objects that the user has, with their texts. */
  find(db: Db, userId: number, ids: readonly number[]): Promise<Found[]>
  /** The objects of the user whose names are one of these, which are in lower case, ignoring case. */
  named(db: Db, userId: number, names: readonly string[]): Promise<{ id: number; name: string }[]>
  /** Locks those of these objects that the user has against changes, in order of id. */
  lock(tx: Db, userId: number, ids: readonly number[]): Promise<void>
  /**
   * Checks settings before the transaction. Instead of a reference they may have no value.
   * @param id the object to change; `undefined`: a new one, which will not be active
   * @throws {AppError} if they cannot be saved
   */
  prepare(userId: number, settings: Settings, id: number | undefined, save: Save): Promise<Prepared>
  /**
   * Deletes an object as a part of a transaction.
   * @returns what to do after the commit
   * @throws {AppError} 409 `resource_in_use` if it holds something, or is still used
   */
  remove(tx: Db, userId: number, id: number): Promise<() => Promise<void> | void>
}

/** The members of a record that a file has. */
export function settingsIn(record: Settings, names: readonly string[]): Settings {
  return Object.fromEntries(names.map((name) => [name, record[name]]))
}

/** @param more what the settings do not show, such as the version of a text */
export function revisionOf(settings: Settings, more: unknown = null): string {
  const sorted = Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([sorted, more]))
    .digest('base64url')
    .slice(0, 22)
}
