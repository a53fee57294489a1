import { type TSchema, Type } from 'typebox'

/** Ids are whole numbers from 1, up to the largest that a double can represent exactly. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const IdParameter = Type.Object({ id: Id })

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A sentence for people.' }),
    code: Type.String({ description: 'A code for programs. docs/errors.md lists all of them.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object(
          { field: Type.Optional(Type.String()), message: Type.String() },
          { additionalProperties: true },
        ),
      ),
    ),
    request_id: Type.String(),
  },
  { $id: 'Error', description: 'The shape of every error response.' },
)

export const SuccessMessage = Type.Object({ message: Type.Literal('Success') })

export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Counts from 1.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
})

export const FolderQuery = Type.Object({
  ...PageQuery.properties,
  folder_id: Type.Optional({
    ...Id,
    description: 'Only items in this folder itself, not in its subfolders.',
  }),
})

/** A list: the plain array, or one page of it if the request has `page` or `limit`. */
export function ListOf<T extends TSchema>(item: T) {
  return Type.Union([
    Type.Array(item),
    Type.Object({
      items: Type.Array(item),
      total: Type.Integer(),
      page: Type.Integer(),
      limit: Type.Integer(),
    }),
  ])
}

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })

/** A time in a request. */
export function Moment(description: string) {
  return Type.String({ format: 'date-time', maxLength: 64, description })
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** The error responses of a route, by status. */
export function errorResponses<const Status extends number>(...statuses: Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, Type.Ref('Error')])) as Record<
    Status,
    ReturnType<typeof Type.Ref>
  >
}
