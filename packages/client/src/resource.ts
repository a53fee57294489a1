import type { Operations } from './api-types.ts'
import type { Operation, Request } from './request.ts'

/** A namespace of the client: a method for each operation, which takes the operation's arguments. */
export type Resource<Methods extends Record<string, Operation>> = {
  readonly [Name in keyof Methods]: (
    ...args: Operations[Methods[Name]]['arguments']
  ) => Promise<Operations[Methods[Name]]['answer']>
}

/** Makes a namespace from a table of its methods; types, arguments and answers come with the operations. */
export function resource<const Methods extends Record<string, Operation>>(
  methods: Methods,
): (request: Request) => Resource<Methods> {
  return (request) => {
    const bound = Object.entries(methods).map(([name, operation]) => [
      name,
      (...args: Operations[Operation]['arguments']) => request(operation, ...args),
    ])
    return Object.freeze(Object.fromEntries(bound))
  }
}
