import { Type } from 'typebox'

/** A credential in a request that goes into a header, and must not break out of it. */
export const line = (description: string) =>
  Type.Optional(Type.String({ maxLength: 4096, pattern: '^[ -~]*$', description }))

/** A credential that may have several lines: some exchanges issue keys in PEM. */
export const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: 8192, pattern: '^[ -~\\r\\n\\t]*$', description }))
