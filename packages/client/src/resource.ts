import type { Operations } from './api-types.ts'
import type { Operation, Request } from './request.ts'

/** The definition of a namespace: the request line of each method, and nested namespaces. */
export type Table = { readonly [name: string]: Operation | Table }

/** Like `Table`, but its lines may have other paths than the service's own. */
export type OtherTable = { readonly [name: string]: string | OtherTable }

/** A method for each request line of a table, with the arguments of that operation. */
export type Namespace<T extends Table> = {
  readonly [Name in keyof T]: T[Name] extends Operation
    ? Method<T[Name]>
    : T[Name] extends Table
      ? Namespace<T[Name]>
      : never
}

export type Method<O extends Operation> = (
  ...args: Operations[O]['arguments']
) => Promise<Operations[O]['answer']>

/**
 * Adds the methods of a table to `others`. A nested namespace is created at its first use: a strategy creates a client
 * in each run, and uses few namespaces.
 */
export function bind<T extends Table, Others extends object>(
  request: Request,
  table: T,
  others: Others,
): Others & Namespace<T> {
  return bindAll(request, [table], { ...others }) as Others & Namespace<T>
}

/**
 * The same with several tables, and request lines that may have other paths than the service's own. If a name is a
 * method in one table and a namespace in another, it becomes a method with members. If both have a method, the last
 * one counts.
 * @param target an object, or a function that becomes such a method
 */
export function bindAll(request: Request, tables: readonly OtherTable[], target: object): object {
  for (const name of new Set(tables.flatMap((table) => Object.keys(table)))) {
    const entries = tables.filter((table) => Object.hasOwn(table, name)).map((table) => table[name]!)
    Object.defineProperty(target, name, member(request, entries))
  }
  return Object.freeze(target)
}

function member(request: Request, entries: readonly (string | OtherTable)[]): PropertyDescriptor {
  const line = entries.findLast((entry) => typeof entry === 'string')
  const tables = entries.filter((entry) => typeof entry === 'object')
  const call =
    line === undefined ? undefined : (...args: unknown[]) => request(line as Operation, ...(args as never))
  if (call !== undefined && tables.length === 0) return { enumerable: true, value: call }
  let made: object | undefined
  return {
    enumerable: true,
    get() {
      made ??= bindAll(request, tables, call ?? {})
      return made
    },
  }
}
