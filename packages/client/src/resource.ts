import type { Operations } from './api-types.ts'
import type { Operation, Request } from './request.ts'

/** The definition of a namespace: the request line of each method, and nested namespaces. */
export type Table = { readonly [name: string]: Operation | Table }

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
  const namespace = { ...others }
  for (const [name, entry] of Object.entries(table)) {
    Object.defineProperty(namespace, name, member(request, entry))
  }
  return Object.freeze(namespace) as Others & Namespace<T>
}

function member(request: Request, entry: Operation | Table): PropertyDescriptor {
  if (typeof entry === 'string') {
    return {
      enumerable: true,
      value: (...args: Operations[Operation]['arguments']) => request(entry, ...args),
    }
  }
  let made: Namespace<Table> | undefined
  return {
    enumerable: true,
    get() {
      made ??= bind(request, entry, {})
      return made
    },
  }
}
