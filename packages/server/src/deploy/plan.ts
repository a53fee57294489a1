/** Decides what becomes of each object of a deployment. It knows everything and reaches nothing, so it can run twice. */
import { isDeepStrictEqual } from 'node:util'
import type { DeployKind } from '../db/schema.ts'
import type { Found, Settings } from './deployable.ts'
import { type References, referenceTo, resolved } from './references.ts'

/** An object that somebody deploys. */
export type Wanted = {
  kind: DeployKind
  key: string
  id?: number
  /** The revision that the settings come from. */
  base?: string
  /** Overwrites what is newer on the service. */
  force?: boolean
  settings: Settings
}

/** What the service knows about the objects of a deployment. */
export type Known = {
  /** What came by an earlier deployment of the same project. */
  remembered: readonly { kind: DeployKind; key: string; objectId: number; revision: string }[]
  /** The objects with the names of those that are wanted, ignoring case. */
  namesakes: readonly { kind: DeployKind; id: number; name: string }[]
  objects: readonly (Found & { kind: DeployKind })[]
}

/** `yours` is what was sent, and `theirs` what the service has. */
export type Difference = { field: string; yours: unknown; theirs: unknown }

/**
 * - `changed`: the object has changed on the service since the base.
 * - `exists`: there is one with this name, which never came from this project.
 * - `ambiguous`: there are several with this name.
 * - `deleted`: the object is gone.
 */
export type Conflict = 'changed' | 'exists' | 'ambiguous' | 'deleted'

export type Decision = { wanted: Wanted; differences: Difference[] } & (
  | { result: 'created'; current?: undefined }
  | { result: 'changed' | 'unchanged'; current: Found }
  | { result: 'conflict'; conflict: Conflict; current?: Found; base: string | undefined }
)

/** The name on the service of an object that has none in its settings yet. */
export function nameOf({ key, settings }: Pick<Wanted, 'key' | 'settings'>): string {
  return typeof settings.name === 'string' ? settings.name : key
}

/** The id of the object that a deployment means, if it can be known without its name. */
export function knownId(
  { id, kind, key }: Wanted,
  remembered: Known['remembered'],
): { id: number; base?: string } | undefined {
  const row = remembered.find(
    (each) => each.kind === kind && (id === undefined ? each.key === key : each.objectId === id),
  )
  if (row !== undefined) return { id: row.objectId, base: row.revision }
  return id === undefined ? undefined : { id }
}

/**
 * @returns a decision for each object, in the same order
 */
export function planOf(
  wanted: readonly Wanted[],
  known: Known,
  referencesOf: (kind: DeployKind) => References,
): Decision[] {
  const targets = wanted.map((each) => targetOf(each, known))
  const ids = new Map(
    wanted.flatMap((each, index) => {
      const id = targets[index]!.current?.id
      return id === undefined ? [] : [[referenceTo(each), id] as const]
    }),
  )
  return wanted.map((each, index) => {
    const settings = resolved(each.settings, referencesOf(each.kind), ids)
    return decide({ ...each, settings }, targets[index]!)
  })
}

type Target = {
  current?: Found
  /** What the object had when it last came by a deployment. */
  base?: string
  problem?: 'exists' | 'ambiguous' | 'deleted'
}

function targetOf(wanted: Wanted, { remembered, namesakes, objects }: Known): Target {
  const object = (id: number) => objects.find((each) => each.kind === wanted.kind && each.id === id)
  const meant = knownId(wanted, remembered)
  if (meant !== undefined) {
    const current = object(meant.id)
    return current === undefined ? { problem: 'deleted' } : { ...meant, current }
  }
  const name = nameOf(wanted).toLowerCase()
  const found = namesakes.filter((each) => each.kind === wanted.kind && each.name.toLowerCase() === name)
  if (found.length === 0) return {}
  if (found.length > 1) return { problem: 'ambiguous' }
  const current = object(found[0]!.id)
  return current === undefined ? {} : { current, problem: 'exists' }
}

function decide(wanted: Wanted, { current, base: remembered, problem }: Target): Decision {
  const base = wanted.base ?? remembered
  if (current === undefined) {
    if (problem === undefined || (problem === 'deleted' && wanted.force === true))
      return { wanted, result: 'created', differences: [] }
    return { wanted, result: 'conflict', conflict: problem, base, differences: [] }
  }
  const differences = differencesOf(wanted.settings, current.settings)
  if (differences.length === 0) return { wanted, result: 'unchanged', current, differences }
  if (wanted.force === true || base === current.revision)
    return { wanted, result: 'changed', current, differences }
  const conflict = base === undefined ? 'exists' : 'changed'
  return { wanted, result: 'conflict', conflict, current, base, differences }
}

function differencesOf(yours: Settings, theirs: Settings): Difference[] {
  return Object.entries(yours)
    .filter(([field, value]) => !isDeepStrictEqual(value, theirs[field]))
    .map(([field, value]) => ({ field, yours: value, theirs: theirs[field] ?? null }))
}
