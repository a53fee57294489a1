import { AppError, type ErrorDetail } from '../base/errors.ts'
import { diffOf } from '../strategies/version-content.ts'
import { type Conflict, type Decision, type Difference, nameOf, type Wanted } from './plan.ts'
import { referenceTo } from './references.ts'

/** A text that differs is shown as a unified diff of at most so many characters. */
const mostOfDiff = 20_000
/** So long may all diffs of an answer take. Nothing else happens in this process meanwhile. */
const longestDiffsMs = 300
/** The most problems that a refusal lists. */
const mostProblems = 20
/** The most conflicts that a refusal describes. */
const mostConflicts = 100

/**
 * @param plan once it is known
 * @throws {AppError} 400 if two objects of a deployment would be the same one
 */
export function demandDistinct(objects: readonly Wanted[], plan: readonly Decision[] = []): void {
  const seen = new Map<string, number>()
  const demand = (index: number, sign: string, what: string) => {
    const other = seen.get(sign)
    if (other !== undefined)
      throw invalidObject(index, objects[index]!, `is ${what} as body.objects.${other}`)
    seen.set(sign, index)
  }
  for (const [index, each] of objects.entries())
    demand(index, `key ${referenceTo(each)}`, 'under the same key')
  for (const [index, { wanted, result, current }] of plan.entries()) {
    if (current !== undefined) demand(index, `id ${wanted.kind} ${current.id}`, 'the same object')
    else if (result === 'created')
      demand(index, `name ${wanted.kind} ${nameOf(wanted).toLowerCase()}`, 'new with the same name')
  }
}

function invalidObject(index: number, { kind, key }: Wanted, message: string): AppError {
  const field = `body.objects.${index}`
  return new AppError('request_invalid', `Nothing was deployed: ${field} (${kind} ${key}) ${message}.`, {
    details: [{ field, message, kind, key }],
  })
}

/** Collects what is wrong with which object. */
export class Problems {
  #details: ErrorDetail[] = []
  #first: AppError | undefined

  get areMany(): boolean {
    return this.#details.length >= mostProblems
  }

  /** @throws {AppError} anything that is not the fault of the settings */
  async of(wanted: Wanted, index: number, work: () => Promise<void>): Promise<void> {
    try {
      await ofObject(wanted, index, work)
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error
      this.#first ??= error
      this.#details.push(...(error.details ?? []))
    }
  }

  throwAny(): void {
    if (this.#first === undefined) return
    const { code, message } = this.#first
    throw new AppError(code, message, { details: this.#details.slice(0, mostProblems) })
  }
}

/** Does the work for one object of a deployment. What it refuses names the object. */
export async function ofObject<Result>(
  { kind, key }: Wanted,
  index: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const place = `body.objects.${index}`
    const details = (error.details ?? [{ message: error.message }]).map(({ field, ...detail }) => ({
      field: field === undefined ? place : field.replace(/^body/, `${place}.settings`),
      ...detail,
      kind,
      key,
    }))
    const { code, message, cause, retryAfterSeconds } = error
    throw new AppError(code, `Nothing was deployed: ${kind} ${key}: ${message}`, {
      ...{ details, cause },
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    })
  }
}

const sentences: Record<Conflict, string> = {
  changed: 'has changed on the service since the base of the deployment',
  exists: 'has a name that is taken on the service by an object that the deployment does not come from',
  ambiguous: 'has a name that several objects on the service have',
  deleted: 'no longer exists on the service',
}

/** 409 that shows both sides of every conflict. */
export function conflictError(plan: readonly Decision[]): AppError {
  const presented = plan.map(presentDecisions())
  const details = presented.flatMap((each, index) =>
    each.conflict === undefined
      ? []
      : [{ field: `body.objects.${index}`, message: sentences[each.conflict], ...each }],
  )
  const names = details.slice(0, 3).map(({ kind, key }) => `${kind} ${key}`)
  const more = details.length > names.length ? ` and ${details.length - names.length} more` : ''
  return new AppError(
    'resource_conflict',
    `Nothing was deployed, because it would overwrite what is newer on the service: ${names.join(', ')}${more}.`,
    { details: details.slice(0, mostConflicts) },
  )
}

/** How a decision is shown. Diffs of texts end when they have taken too long. */
export function presentDecisions() {
  let leftMs = longestDiffsMs
  const show = (difference: Difference) => {
    const { field, yours, theirs } = difference
    if ((field !== 'code' && field !== 'prompt') || typeof yours !== 'string') return difference
    if (leftMs <= 0) return { field, diff: null }
    const begin = performance.now()
    const { text } = diffOf(typeof theirs === 'string' ? theirs : '', yours, ['the service', 'yours'])
    leftMs -= performance.now() - begin
    return { field, diff: text.slice(0, mostOfDiff) }
  }
  return (decision: Decision) => {
    const { wanted, result, current, differences } = decision
    return {
      kind: wanted.kind,
      key: wanted.key,
      result,
      id: current?.id ?? null,
      ...(result === 'conflict' && {
        conflict: decision.conflict,
        base: decision.base ?? null,
        revision: current?.revision ?? null,
      }),
      ...(differences.length > 0 && { differences: differences.map(show) }),
    }
  }
}
