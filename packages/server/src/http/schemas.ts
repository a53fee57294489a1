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

/** The query of a list of events. */
export const EventQuery = Type.Object({
  ...PageQuery.properties,
  before: Type.Optional({ ...Id, description: 'Only events before the one with this id. Not with `page`.' }),
  after: Type.Optional({
    ...Id,
    description:
      'Only events after the one with this id: without `before`, those next to it. Not with `page`.',
  }),
})

/** The query of a list that searches many events. */
export const SearchQuery = Type.Object({
  ...EventQuery.properties,
  since: Type.Optional(Moment('Only events from this time or later.')),
  until: Type.Optional(Moment('Only events from this time or earlier.')),
})

/** The `pattern` of texts that the database is asked for: it stores no NUL in a text. */
export const withoutNul = '^[^\\u0000]*$'

/** A text to look for. */
export function SoughtText(where: string) {
  return Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: withoutNul,
    description: `Only events with this text in ${where}. Ignores case. \`%\`, \`_\` and \`*\` mean themselves.`,
  })
}

const total = {
  total: Type.Integer({
    description: 'How many there are in all pages; at least so many with `total_is_exact: false`.',
  }),
  total_is_exact: Type.Optional(
    Type.Literal(false, {
      description:
        'With more than 10,000, which are not counted, or if a search has not looked at everything.',
    }),
  ),
}

/** A list: the plain array, or one page of it if the request has `page` or `limit`. */
export function ListOf<T extends TSchema>(item: T) {
  const page = { items: Type.Array(item), ...total, page: Type.Integer(), limit: Type.Integer() }
  return Type.Union([Type.Array(item), Type.Object(page)])
}

/** A list of events: the plain array, or a part of it if the request has `page`, `limit`, `before` or `after`. */
export function EventsOf<T extends TSchema>(item: T) {
  return Type.Union([
    Type.Array(item),
    Type.Object({
      items: Type.Array(item),
      ...total,
      page: Type.Optional(Type.Integer({ description: 'Not with `before` or `after`.' })),
      limit: Type.Integer(),
      next: Type.Optional(
        Nullable(
          Type.Integer({
            description:
              'In the answer to `before` or `after`, and in lists that search. Pass it as `before` to get the next part, or as `after` if the request had `after` without `before`. null: nothing is left.',
          }),
        ),
      ),
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
