import { type TSchema, Type } from 'typebox'

/** Ids are whole numbers from 1; what is larger than a double can count cannot be one. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const IdParameter = Type.Object({ id: Id })

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A sentence for a person.' }),
    code: Type.String({ description: 'A word for a machine; see docs/errors.md.' }),
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
  folder_id: Type.Optional({ ...Id, description: 'Only those that are in this folder itself.' }),
})

/** A list: the plain array, or a page of it when `page` or `limit` was given. */
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

/** A moment in a request. */
export function Moment(description: string) {
  return Type.String({ format: 'date-time', maxLength: 64, description })
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** The responses that any route can answer besides its own, by status. */
export function errorResponses<const Status extends number>(...statuses: Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, Type.Ref('Error')])) as Record<
    Status,
    ReturnType<typeof Type.Ref>
  >
}
